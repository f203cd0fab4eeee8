"""The limiter: admits the requests of limited keys, charges what requests use, and tells what is left.

All gateways of a process share one limiter. A reload changes the limits and keeps what was used.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from math import inf
from secrets import token_hex
from time import monotonic
from typing import Any

from proxy.config.schema.settings import Settings
from proxy.state.limits import gcra
from proxy.state.limits.admission import Admission
from proxy.state.limits.claims import (
    Bucket,
    Claims,
    Holder,
    KeyTotals,
    Kind,
    Need,
    ParallelClaim,
    RateClaim,
    Refusal,
    Settlement,
    SpendClaim,
    Standing,
    Unavailable,
    Verdict,
)
from proxy.state.limits.ledger import Ledger
from proxy.state.limits.limit_table import HolderLimits, KeyLimits, LimitTable
from proxy.state.limits.local_share import LocalShare
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.periods import MONTH, Period, period_at
from proxy.state.limits.remembered_refusals import RememberedRefusals
from proxy.state.limits.spend_book import AccountSpend, SpendBook

Clock = Callable[[], float]

_EXCHANGE_S = 1.0
_RESERVED_WAIT_S = 1.0
"""Seconds for which a refusal is remembered that other running requests' reservations caused."""

_IN_TURN = 100
"""The keys and teams whose spend one exchange reads although this process has not changed it."""

_UNLIMITED = Standing()


class Limiter:
    """The limits of the keys of *settings*, kept in *ledger* and *book*. *wall* returns Unix time, *clock* steady time.

    *ledger* shares *book*. Without a ledger, everything is kept in this process.
    """

    def __init__(
        self,
        settings: Settings,
        ledger: Ledger | None = None,
        book: SpendBook | None = None,
        *,
        wall: Clock = time.time,  # noqa: TID251 - periods of spend are wall-clock time
        clock: Clock = monotonic,
    ) -> None:
        self._book = SpendBook() if book is None else book
        self._ledger: Ledger = MemoryLedger(self._book, clock) if ledger is None else ledger
        self._wall = wall
        self._clock = clock
        self._table = LimitTable(settings)
        self._remembered = RememberedRefusals()
        self._share = LocalShare(self._book, clock) if self._ledger.is_shared else None
        """What holds while the store cannot be reached. A ledger in this process can always be reached."""

        self._full_at: dict[str, float] = {}
        """The steady time at which each bucket of a key or team is full again, as last heard."""

        self._running: dict[str, Admission] = {}
        self._process = token_hex(8)
        self._count = 0
        self._next_holder = 0

    def follow_settings(self, settings: Settings) -> None:
        """Let the limits of *settings* hold from now on. What was used stays used."""
        self._table = LimitTable(settings)
        self._remembered.clear()

    def limits_of(self, key: str) -> KeyLimits | None:
        """Return the limits of the key named *key*, or None where neither the key nor its team has one."""
        return self._table.limits_of(key)

    def find_refusal(self, key: str, now: float) -> Refusal | None:
        """Return the refusal that is remembered for every request of *key*, or None. Asks no store.

        *now* is steady time (:func:`time.monotonic`).
        """
        limits = self._table.limits_of(key)
        return None if limits is None else self._find_remembered(limits, 0, 0, now)

    async def admit(self, key: str, request_id: str, need: Need) -> Admission | Refusal | Unavailable:
        """Admit a request of *key* that needs *need*, or say why not. Nothing is taken for a refused request.

        *request_id* is for reading logs. It need not be unique, since clients may choose it.
        """
        limits = self._table.limits_of(key)
        if limits is None:
            return self._admitted(key, Claims(request_id), (), _UNLIMITED, need)
        now = self._clock()
        refusal = self._find_remembered(limits, need.tokens, need.nano_usd, now) or _find_misfit(limits, need)
        if refusal is not None:
            return refusal
        claims = self._claims_of(limits, need)
        verdict, by_ledger = await self._decide(claims, self._table.on_store_down)
        if verdict is None:
            return Unavailable()
        self._note_use(claims, verdict)
        standing = _standing_of(claims, limits, verdict)
        if not verdict.granted:
            return self._refuse(limits, claims, verdict, standing)
        admission = self._admitted(key, claims, limits.holders, standing, need)
        admission.is_in_ledger = by_ledger
        return admission

    def count(self, key: str, *, nano_usd: int, estimated_nano: int, tokens: int) -> None:
        """Count a request of a key without limits. Asks no store. *nano_usd* includes *estimated_nano*."""
        for spend in self._charged(key):
            spend.add(nano_usd, estimated_nano, tokens, 1)

    async def admit_deployment(
        self, identity: str, rpm: int | None, tpm: int | None, tokens: int
    ) -> float | None:
        """Return None where a call of *tokens* to a deployment fits its limits, else the seconds to wait.

        *identity* names the deployment and its account (:mod:`proxy.state.deployment_identity`).
        """
        rates = []
        if rpm is not None:
            rates.append(RateClaim(Bucket(f"deployment:{identity}:requests", rpm, rpm), 1))
        if tpm is not None:
            rates.append(RateClaim(Bucket(f"deployment:{identity}:tokens", tpm, tpm), min(tokens, tpm)))
        now = self._clock()
        wait_s = max(
            (self._remembered.wait_for(each.bucket.name, each.amount, now) for each in rates), default=0
        )
        if wait_s or not rates:
            return wait_s or None
        verdict, _ = await self._decide(Claims(self._next_id(), tuple(rates)), "share")
        if verdict is None or verdict.granted:
            return None
        for rate, wait in zip(rates, verdict.waits_s, strict=True):
            if wait:
                self._remembered.remember(rate.bucket.name, rate.amount, now + wait)
        return max(verdict.waits_s)

    async def standing_of(self, key: str) -> Standing | None:
        """Return what is left of the limits of *key* now, or None where it has none."""
        limits = self._table.limits_of(key)
        if limits is None:
            return None
        claims = self._claims_of(limits, Need(0, 0, 0.0))
        looked = Claims(claims.id, tuple(RateClaim(rate.bucket, 0) for rate in claims.rates))
        verdict = await self._ledger.admit(looked)
        if verdict is not None:
            self._note_use(looked, verdict)
        return self._known_standing(limits, self._clock())

    async def totals(self) -> Mapping[str, KeyTotals]:
        """Return the spend of each key by its name, over all processes. The master key's name is empty."""
        table = self._table
        await self._ledger.exchange([self._spend_of(holder) for holder in table.all_holders()])
        return {name: self._totals_of(holder) for name, holder in table.keys.items()} | {
            "": self.own_totals("")
        }

    async def team_totals(self) -> Mapping[str, KeyTotals]:
        """Return the spend of each team by its name, over all processes."""
        teams = self._table.teams
        await self._ledger.exchange([self._spend_of(holder) for holder in teams.values()])
        return {name: self._totals_of(holder) for name, holder in teams.items()}

    async def find_totals(self, key: str) -> tuple[KeyTotals, ...]:
        """Return the spend of *key*, and that of its team if it has one, over all processes."""
        holders = self._table.holders_of(key)
        await self._ledger.exchange([self._spend_of(holder) for holder in holders])
        return tuple(self._totals_of(holder) for holder in holders)

    def own_totals(self, key: str) -> KeyTotals:
        """Return the spend of *key* as this process knows it. Asks no store."""
        return self._totals_of(self._table.holders_of(key)[0])

    def budgets_used(self) -> dict[str, float]:
        """Return the used share of the spend limit by key, as this process knows it. Keys without one are left out.

        The share is the larger one of the key and its team. Running requests are included. Asks no store.
        """
        used: dict[str, float] = {}
        for key in self._table.keys:
            for holder in self._table.holders_of(key):
                if limit := holder.budget_nano:
                    spend = self._spend_of(holder)
                    share = (spend.spent_nano + spend.reserved + spend.others_reserved) / limit
                    used[key] = max(share, used.get(key, 0.0))
        return used

    async def raise_claims(self, admission: Admission, nano_usd: int) -> Refusal | None:
        """Reserve *nano_usd* in all for *admission*. See :meth:`Admission.raise_to`."""
        claims, more = admission.claims, nano_usd - admission.reserved_nano
        lifetime_s = max(0.0, admission.until - self._clock())
        spends = tuple(
            SpendClaim(claim.account, claim.period, claim.limit_nano, more, lifetime_s)
            for claim in claims.spends
        )
        verdict, _ = await self._decide(Claims(self._next_id(), spends=spends), "share")
        if verdict is None or verdict.granted:
            admission.reserved_nano = nano_usd
            return None
        holders = [holder for holder in admission.holders if holder.budget_nano is not None]
        refused = [
            (self._ends_in(spend.period), holder.holder)
            for spend, holder, wait in zip(spends, holders, verdict.waits_s, strict=True)
            if wait
        ]
        wait_s, holder = max(refused)
        return Refusal("budget", holder, wait_s, standing=admission.standing)

    def end(self, admission: Admission, settlement: Settlement) -> None:
        """Hand the *settlement* of *admission* to the ledger."""
        self._running.pop(settlement.id, None)
        for claim in settlement.spends:
            spend = self._book.spend_of(claim.account, claim.period)
            spend.unreserve(admission.reserved_nano)
        for change in settlement.rates:
            if change.used < change.claimed:
                self._remembered.forget(change.bucket.name)
        if self._share is not None:
            self._share.settle(settlement)
        if not admission.is_in_ledger:
            settlement = Settlement(settlement.id, (), settlement.parallel, settlement.spends)
        if settlement.rates or settlement.parallel or settlement.spends:
            self._ledger.settle(settlement)

    def work(self) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
        """Return the background work that the store has to run (:meth:`ExternalStore.running`)."""
        return (self._ledger.run, self._exchange_often)

    async def close(self) -> None:
        """Write what is not written yet. Called at the end of the process, while the store still runs."""
        await self._ledger.exchange([spend for spend in self._book if not spend.is_written])
        await self._ledger.flush()

    async def _exchange_often(self) -> None:
        while True:
            await self.exchange()
            await asyncio.sleep(_EXCHANGE_S)

    async def exchange(self) -> None:
        """Exchange totals with the other processes, and end requests that have outlived their time."""
        now = self._clock()
        for admission in [each for each in self._running.values() if each.until < now]:
            reserved = admission.reserved_nano
            admission.settle(nano_usd=reserved, estimated_nano=reserved, tokens=0)
        self._book.forget_old(self._wall())
        await self._ledger.exchange(self._to_exchange())

    async def _decide(self, claims: Claims, on_store_down: str) -> tuple[Verdict | None, bool]:
        """Return the verdict, and whether the store gave it.

        Where the store cannot be reached, *on_store_down* decides. Money is then held to what this process knows.
        """
        verdict = await self._ledger.admit(claims)
        share = self._share
        if verdict is not None:
            if share is not None:
                if debts := share.take_debts():
                    self._ledger.settle(Settlement(self._next_id(), debts))
                share.follow(claims, verdict)
            return verdict, True
        if share is None or on_store_down == "refuse":
            return None, False
        return share.decide(claims, self._ledger.replicas, is_open=on_store_down == "open"), False

    def _to_exchange(self) -> list[AccountSpend]:
        """Return the spend that has changed, and some of all other spend in turn.

        This process also has to know the spend of keys that only others serve. So it can restore what a process that
        died had spent, if the store loses its data later.
        """
        holders = self._table.all_holders()
        start = self._next_holder % len(holders)
        self._next_holder = start + _IN_TURN
        turn = (holders[start:] + holders[:start])[:_IN_TURN]
        changed = [spend for spend in self._book if spend.changes != spend.exchanged]
        chosen = dict.fromkeys([*changed, *(self._spend_of(holder) for holder in turn)])
        for spend in chosen:
            spend.exchanged = spend.changes
        return list(chosen)

    def _note_use(self, claims: Claims, verdict: Verdict) -> None:
        now = self._clock()
        for rate, used_us in zip(claims.rates, verdict.used_us, strict=True):
            self._full_at[rate.bucket.name] = now + used_us / 1e6

    def _known_standing(self, limits: KeyLimits, now: float) -> Standing:
        """Return what is left of *limits* by what was last heard of their buckets."""
        buckets = [bucket for each in limits.holders for bucket in (each.requests, each.tokens) if bucket]
        used = [max(0, int((self._full_at.get(each.name, 0.0) - now) * 1e6)) for each in buckets]
        rates = tuple(RateClaim(bucket, 0) for bucket in buckets)
        return _standing_of(Claims("", rates), limits, Verdict(True, (), tuple(used), ()))

    def _admitted(
        self, key: str, claims: Claims, holders: tuple[HolderLimits, ...], standing: Standing, need: Need
    ) -> Admission:
        admission = Admission(self, claims, holders, self._charged(key), standing)
        admission.until = self._clock() + need.lifetime_s
        self._running[claims.id] = admission
        return admission

    def _charged(self, key: str) -> list[AccountSpend]:
        return [self._spend_of(holder) for holder in self._table.holders_of(key)]

    def _spend_of(self, holder: HolderLimits) -> AccountSpend:
        return self._book.spend_of(holder.account, self._period_of(holder))

    def _period_of(self, holder: HolderLimits) -> Period:
        """Return the current period. Spend without a limit is counted by calendar month."""
        duration = MONTH if holder.budget_nano is None else holder.budget_duration
        return period_at(duration, self._wall())

    def _ends_in(self, period: Period) -> float:
        return inf if period.ends_at is None else max(0.0, period.ends_at - self._wall())

    def _next_id(self) -> str:
        self._count += 1
        return f"{self._process}-{self._count}"

    def _claims_of(self, limits: KeyLimits, need: Need) -> Claims:
        rates: list[RateClaim] = []
        places: list[ParallelClaim] = []
        spends: list[SpendClaim] = []
        for each in limits.holders:
            if each.requests is not None:
                rates.append(RateClaim(each.requests, 1))
            if each.tokens is not None:
                rates.append(RateClaim(each.tokens, need.tokens))
            if each.parallel is not None:
                places.append(ParallelClaim(f"{each.account}:parallel", each.parallel, need.lifetime_s))
            if each.budget_nano is not None:
                period = self._period_of(each)
                spends.append(
                    SpendClaim(each.account, period, each.budget_nano, need.nano_usd, need.lifetime_s)
                )
        return Claims(self._next_id(), tuple(rates), tuple(places), tuple(spends))

    def _find_remembered(self, limits: KeyLimits, tokens: int, nano: int, now: float) -> Refusal | None:
        if not len(self._remembered):
            return None
        refused: list[tuple[float, Kind, Holder]] = []
        for each in limits.holders:
            for kind, name, amount in _amounts(each, tokens, nano):
                wait_s = self._remembered.wait_for(name, amount, now)
                if wait_s:
                    wait_s = self._ends_in(self._period_of(each)) if kind == "budget" else wait_s
                    refused.append((wait_s, kind, each.holder))
        if not refused:
            return None
        wait_s, kind, holder = max(refused)
        return Refusal(kind, holder, wait_s, standing=self._known_standing(limits, now))

    def _refuse(self, limits: KeyLimits, claims: Claims, verdict: Verdict, standing: Standing) -> Refusal:
        """Return the refusal with the longest wait, and remember all of them."""
        now = self._clock()
        waits = list(verdict.waits_s)
        for rate, wait_s in zip(claims.rates, waits, strict=False):
            if wait_s:
                self._remembered.remember(rate.bucket.name, rate.amount, now + wait_s)
        first = len(waits) - len(claims.spends)
        for number, (claim, spent) in enumerate(zip(claims.spends, verdict.spent_nano, strict=True), first):
            if waits[number]:
                waits[number] = self._ends_in(claim.period)
                is_used_up = claim.limit_nano is not None and spent >= claim.limit_nano
                lasts_s = waits[number] if is_used_up else _RESERVED_WAIT_S
                self._remembered.remember(
                    claim.account, 0 if is_used_up else claim.reserve_nano, now + lasts_s
                )
        wait_s, number = max((wait_s, number) for number, wait_s in enumerate(waits) if wait_s)
        kind, holder = limits.claims[number]
        return Refusal(kind, holder, wait_s, standing=standing)

    def _totals_of(self, holder: HolderLimits) -> KeyTotals:
        spend = self._spend_of(holder)
        others = spend.others.values()
        period = spend.period
        return KeyTotals(
            period.name,
            None if period.ends_at is None else self._ends_in(period),
            spend.spent_nano,
            spend.estimated + sum(each.estimated for each in others),
            spend.reserved + spend.others_reserved,
            spend.tokens + sum(each.tokens for each in others),
            spend.requests + sum(each.requests for each in others),
            holder.budget_nano,
        )


def _find_misfit(limits: KeyLimits, need: Need) -> Refusal | None:
    """Return the refusal of a request that asks for more tokens than a bucket ever holds."""
    for each in limits.holders:
        if each.tokens is not None and need.tokens > each.tokens.capacity:
            return Refusal("tokens", each.holder, inf, never_fits=True)
    return None


def _amounts(limits: HolderLimits, tokens: int, nano: int) -> tuple[tuple[Kind, str, int], ...]:
    """Return what a request claims of each limit of one holder, with the names that refusals are remembered by."""
    account = limits.account
    return (
        ("requests", "" if limits.requests is None else limits.requests.name, 1),
        ("tokens", "" if limits.tokens is None else limits.tokens.name, tokens),
        ("budget", account, nano),
    )


def _standing_of(claims: Claims, limits: KeyLimits, verdict: Verdict) -> Standing:
    """Return what is left, for each kind of the holder that has the least of it."""
    standing = Standing()
    for (kind, _), rate, used_us in zip(limits.claims, claims.rates, verdict.used_us, strict=False):
        bucket, left = rate.bucket, gcra.remaining(rate.bucket, used_us)
        if kind == "requests":
            if standing.remaining_requests is None or left < standing.remaining_requests:
                standing = Standing(
                    bucket.per_minute,
                    left,
                    used_us / 1e6,
                    standing.limit_tokens,
                    standing.remaining_tokens,
                    standing.reset_tokens_s,
                )
        elif standing.remaining_tokens is None or left < standing.remaining_tokens:
            standing = Standing(
                standing.limit_requests,
                standing.remaining_requests,
                standing.reset_requests_s,
                bucket.per_minute,
                left,
                used_us / 1e6,
            )
    return standing
