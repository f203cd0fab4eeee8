"""The limiter: admits the requests of limited keys, charges what requests use, and tells what is left.

All gateways of a process share one limiter. A reload changes the limits and keeps what was used.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from secrets import token_hex
from time import monotonic
from typing import Any

from typing_extensions import override

from proxy.config.schema.settings import Settings
from proxy.state.limits.admission import Admission
from proxy.state.limits.claims import (
    Bucket,
    Claims,
    DeploymentClaim,
    Need,
    ParallelClaim,
    RateClaim,
    Refusal,
    Settlement,
    SpendClaim,
    Standing,
    Unavailable,
    correct,
)
from proxy.state.limits.fallback_ledger import FallbackLedger
from proxy.state.limits.key_accounts import KeyAccounts
from proxy.state.limits.leases import Leases
from proxy.state.limits.ledger import Ledger
from proxy.state.limits.limit_table import KeyLimits
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.refusals import Refusals, find_misfit
from proxy.state.limits.spend_book import SpendBook
from proxy.state.limits.standings import Standings

_EXCHANGE_S = 1.0
_SOME_NEED = Need(0, 0, 0.0)
_UNLIMITED = Standing()


class Limiter(KeyAccounts):
    """The limits of the keys of *settings*, kept in *ledger* and *book*. *wall* returns Unix time, *clock* steady time.

    *ledger* shares *book*. Without a ledger, everything is kept in this process.
    """

    def __init__(
        self,
        settings: Settings,
        ledger: Ledger | None = None,
        book: SpendBook | None = None,
        *,
        wall: Callable[[], float] = time.time,  # noqa: TID251 - periods of spend are wall-clock time
        clock: Callable[[], float] = monotonic,
    ) -> None:
        book = SpendBook() if book is None else book
        ledger = MemoryLedger(book, clock) if ledger is None else ledger
        super().__init__(settings, ledger, book, wall)
        self._clock = clock
        self._guarded = FallbackLedger(ledger, book, clock)
        self._leases = Leases(self._guarded, lambda: ledger.replicas, clock)
        self._standings = Standings()
        self._refusals = Refusals(self, self._standings)
        self._running: dict[str, Admission] = {}
        self._process = token_hex(8)
        self._count = 0

    @override
    def follow_settings(self, settings: Settings) -> None:
        """Let the limits of *settings* hold from now on. What was used stays used."""
        super().follow_settings(settings)
        self._refusals.remembered.clear()
        self._leases.clear()

    def find_refusal(self, key: str, now: float) -> Refusal | None:
        """Return the refusal that is remembered for every request of *key*, or None. Asks no store.

        *now* is steady time (:func:`time.monotonic`).
        """
        limits = self.limits_of(key)
        return None if limits is None else self._refusals.find(limits, None, now)

    async def admit(self, key: str, request_id: str, need: Need) -> Admission | Refusal | Unavailable:
        """Admit a request of *key* that needs *need*, or say why not. Nothing is taken for a refused request.

        *request_id* is for reading logs. It need not be unique, since clients may choose it.
        """
        limits = self.limits_of(key)
        if limits is None:
            return Admission(self, Claims(request_id), (), self.charged(key), _UNLIMITED)
        refusal = self._refusals.find(limits, need, self._clock()) or find_misfit(limits, need)
        if refusal is not None:
            return refusal
        claims = self._claims_of(limits, need)
        verdict, is_in_ledger = await self._leases.decide(key, limits, claims, self.table.on_store_down)
        if verdict is None:
            return Unavailable()
        now = self._clock()
        self._standings.note(claims, verdict, now)
        if not verdict.granted:
            return self._refusals.make(limits, claims, verdict, now)
        standing = self._standings.standing_of(limits, now)
        admission = Admission(self, claims, limits.holders, self.charged(key), standing)
        admission.is_in_ledger = is_in_ledger
        admission.until = now + need.lifetime_s
        self._running[claims.id] = admission
        return admission

    async def admit_deployment(
        self, identity: str, rpm: int | None, tpm: int | None, tokens: int
    ) -> DeploymentClaim | float:
        """Claim a call of *tokens* from the limits of a deployment, or return the seconds until the call may fit.

        *identity* names the deployment and its account (:mod:`proxy.state.deployment_identity`).
        """
        of_tokens = None
        rates = []
        if rpm is not None:
            rates.append(RateClaim(Bucket(f"deployment:{identity}:requests", rpm, rpm), 1))
        if tpm is not None:
            of_tokens = RateClaim(Bucket(f"deployment:{identity}:tokens", tpm, tpm), min(tokens, tpm))
            rates.append(of_tokens)
        if not rates:
            return DeploymentClaim(None, True)
        now, remembered = self._clock(), self._refusals.remembered
        wait_s = max(remembered.wait_for(each.bucket.name, each.amount, now) for each in rates)
        if wait_s:
            return wait_s
        verdict, is_in_ledger = await self._guarded.decide(Claims(self._next_id(), tuple(rates)), "share")
        if verdict is None or verdict.granted:
            return DeploymentClaim(of_tokens, is_in_ledger)
        for rate, wait_s in zip(rates, verdict.waits_s, strict=True):
            if wait_s:
                remembered.remember(rate.bucket.name, rate.amount, now + wait_s)
        return max(verdict.waits_s)

    def end_call(self, claim: DeploymentClaim, tokens: int) -> None:
        """Correct *claim*, whose call has used *tokens*. Never raises, and does not wait."""
        change = None if claim.tokens is None else correct(claim.tokens, tokens)
        if change is not None:
            if change.used < change.claimed:
                self._refusals.remembered.forget(change.bucket.name)
            self._guarded.settle(Settlement("", (change,)), is_in_ledger=claim.is_in_ledger)

    async def standing_of(self, key: str) -> Standing | None:
        """Return what is left of the limits of *key* now, or None where it has none."""
        limits = self.limits_of(key)
        if limits is None:
            return None
        rates = tuple(RateClaim(rate.bucket, 0) for rate in self._claims_of(limits, _SOME_NEED).rates)
        if rates:
            claims = Claims(self._next_id(), rates)
            verdict = await self._ledger.admit(claims)
            if verdict is not None:
                self._standings.note(claims, verdict, self._clock())
        return self._standings.standing_of(limits, self._clock())

    def last_standing(self, key: str) -> Standing | None:
        """Return what is left of the limits of *key* by what was last heard of them. Asks no store."""
        limits = self.limits_of(key)
        return None if limits is None else self._standings.standing_of(limits, self._clock())

    async def raise_claims(self, admission: Admission, nano_usd: int) -> Refusal | None:
        """Reserve *nano_usd* in all for *admission*. See :meth:`Admission.raise_to`."""
        more, lifetime_s = nano_usd - admission.reserved_nano, max(0.0, admission.until - self._clock())
        claims = admission.claims.spends
        spends = tuple(
            SpendClaim(claim.account, claim.period, claim.limit_nano, more, lifetime_s) for claim in claims
        )
        verdict, _ = await self._guarded.decide(Claims(self._next_id(), spends=spends), "share")
        if verdict is None or verdict.granted:
            admission.reserved_nano = nano_usd
            return None
        holders = [holder.holder for holder in admission.holders if holder.budget_nano is not None]
        wait_s, holder = max(
            (self.ends_in(claim.period), holder)
            for claim, holder, wait_s in zip(spends, holders, verdict.waits_s, strict=True)
            if wait_s
        )
        return Refusal("budget", holder, wait_s, standing=admission.standing)

    def end(self, admission: Admission, settlement: Settlement) -> None:
        """Hand the *settlement* of *admission* to the ledger."""
        self._running.pop(settlement.id, None)
        for claim in settlement.spends:
            self.book.spend_of(claim.account, claim.period).unreserve(admission.reserved_nano)
        for change in settlement.rates:
            if change.used < change.claimed:
                self._refusals.remembered.forget(change.bucket.name)
        self._guarded.settle(settlement, is_in_ledger=admission.is_in_ledger)

    async def arrive(self, id_: str) -> None:
        """Wait as :meth:`proxy.state.limits.ledger.Ledger.arrive` says."""
        await self._ledger.arrive(id_)

    def work(self) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
        """Return the background work, which runs while the store does."""
        return (self._ledger.run, self._exchange_often)

    async def close(self) -> None:
        """Write what is not written yet. Called at the end of the process, while the store still runs."""
        self._leases.clear()
        await self._ledger.exchange([spend for spend in self.book if not spend.is_written])
        await self._ledger.flush()

    async def exchange(self) -> None:
        """Exchange spend with the other processes, and end requests that have outlived their time."""
        self._leases.give_back_old()
        now = self._clock()
        for admission in [each for each in self._running.values() if each.until < now]:
            reserved = admission.reserved_nano
            admission.settle(nano_usd=reserved, estimated_nano=reserved, tokens=0)
        if await self._ledger.exchange(self.to_exchange()):
            self._guarded.pay_debts()  # a key that nobody uses now pays too

    async def _exchange_often(self) -> None:
        while True:
            await self.exchange()
            await asyncio.sleep(_EXCHANGE_S)

    def _next_id(self) -> str:
        self._count += 1
        return f"{self._process}-{self._count}"

    def _claims_of(self, limits: KeyLimits, need: Need) -> Claims:
        """Return the claims of a request, in the order of :attr:`KeyLimits.claims`."""
        rates: list[RateClaim] = []
        places: list[ParallelClaim] = []
        spends: list[SpendClaim] = []
        for each in limits.holders:
            if each.one_request is not None:
                rates.append(each.one_request)
            if each.tokens is not None:
                rates.append(RateClaim(each.tokens, need.tokens))
            if each.parallel is not None:
                places.append(ParallelClaim(each.places, each.parallel, need.lifetime_s))
            if each.budget_nano is not None:
                period, most = self.period_of(each), each.budget_nano
                spends.append(SpendClaim(each.account, period, most, need.nano_usd, need.lifetime_s))
        return Claims(self._next_id(), tuple(rates), tuple(places), tuple(spends))
