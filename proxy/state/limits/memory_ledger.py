"""The ledger in this process's memory. It answers at once, and is lost with the process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import inf
from time import monotonic

from proxy.state.limits import gcra
from proxy.state.limits.claims import Claims, Settlement, Verdict
from proxy.state.limits.spend_book import AccountSpend, SpendBook

PARALLEL_WAIT_S = 1.0
"""The seconds after which a request is tried again that found no place among its key's parallel requests."""

_MOST_IDLE = 4_096
"""Above this number of buckets, those that are full again are forgotten. A bucket that is missing is full."""


class MemoryLedger:
    """A :class:`proxy.state.limits.ledger.Ledger` over *book*. *clock* returns steady seconds.

    With *share* above 1, each claim counts that many times, as where so many replicas share the limits. A bucket then
    still grants one claim whenever it is full.
    """

    is_shared = False
    replicas = 1

    def __init__(self, book: SpendBook, clock: Callable[[], float] = monotonic, share: int = 1) -> None:
        self.book = book
        self.share = share
        self._clock = clock
        self.tats: dict[str, int] = {}
        """The time at which each bucket is full again, in microseconds of *clock*."""

        self._places: dict[str, dict[str, float]] = {}

    async def admit(self, claims: Claims) -> Verdict:
        """Grant claims as :meth:`proxy.state.limits.ledger.Ledger.admit` does."""
        return self.decide(claims)

    def decide(self, claims: Claims) -> Verdict:
        """Grant all of *claims*, or none."""
        now_s = self._clock()
        now = int(now_s * 1_000_000)
        tats, waits, used, spent = [], [], [], []
        for rate in claims.rates:
            tat = self.tats.get(rate.bucket.name, now)
            cost = gcra.cost_us(rate.bucket, rate.amount) * self.share
            moved, wait = gcra.claim(tat, now, cost, rate.bucket.window_us)
            if self.share > 1 and tat <= now:
                wait = 0
            tats.append(moved)
            waits.append(wait / 1_000_000)
            used.append(max(0, tat - now))
        for place in claims.parallel:
            most = max(1, place.most // self.share)
            waits.append(0.0 if self._count_places(place.name, now_s) < most else PARALLEL_WAIT_S)
        for claim in claims.spends:
            spend = self.book.spend_of(claim.account, claim.period)
            waits.append(0.0 if spend.fits(claim.reserve_nano, claim.limit_nano) else inf)
            spent.append(spend.spent_nano)
        granted = not any(waits)
        if granted:
            self._take(claims, tats, now_s)
            used = [max(0, tat - now) for tat in tats]
        return Verdict(granted, tuple(waits), tuple(used), tuple(spent))

    def settle(self, settlement: Settlement) -> None:
        """End a request as :meth:`proxy.state.limits.ledger.Ledger.settle` does."""
        now, share = int(self._clock() * 1_000_000), self.share
        for change in settlement.rates:
            bucket = change.bucket
            claimed = gcra.cost_us(bucket, change.claimed) * share
            used = gcra.cost_us(bucket, change.used) * share
            self.tats[bucket.name] = gcra.settle(self.tats.get(bucket.name, now), now, claimed, used)
        for place in settlement.parallel:
            if places := self._places.get(place.name):
                places.pop(settlement.id, None)

    def take_places(self, claims: Claims, now: float) -> None:
        """Count the request of *claims* among the running ones. *now* is the clock's time."""
        for place in claims.parallel:
            self._places.setdefault(place.name, {})[claims.id] = now + place.lifetime_s

    async def arrive(self, id_: str) -> None:
        """Return at once: there is no other process."""

    async def exchange(self, spends: Sequence[AccountSpend]) -> bool:
        """Do nothing: there is no other process."""
        for spend in spends:
            spend.written = spend.changes
        return True

    async def run(self) -> None:
        """Do nothing, until this coroutine is cancelled."""
        await asyncio.Event().wait()

    async def flush(self) -> None:
        """Do nothing: nothing waits."""

    def _take(self, claims: Claims, tats: list[int], now: float) -> None:
        for rate, tat in zip(claims.rates, tats, strict=True):
            self.tats[rate.bucket.name] = tat
        self.take_places(claims, now)
        for claim in claims.spends:
            spend = self.book.spend_of(claim.account, claim.period)
            spend.reserve(claim.reserve_nano, now + claim.lifetime_s)
        if len(self.tats) > _MOST_IDLE:
            self._forget_idle(int(now * 1_000_000))

    def _count_places(self, name: str, now: float) -> int:
        places = self._places.get(name)
        if not places:
            return 0
        if min(places.values()) <= now:
            places = self._places[name] = {id_: until for id_, until in places.items() if until > now}
        return len(places)

    def _forget_idle(self, now: int) -> None:
        self.tats = {name: tat for name, tat in self.tats.items() if tat > now}
