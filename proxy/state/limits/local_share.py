"""A replica's share of the limits, which it enforces by itself while the store cannot be reached.

With N replicas, each lets a limit's N-th part pass, and at least one request. Neither letting everything pass nor
refusing everything would be right: the one burns a quota, and the other is an outage (envoyproxy/ratelimit#462).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from proxy.state.limits import gcra
from proxy.state.limits.claims import MINUTE_US, Bucket, Change, Claims, Settlement, Verdict
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.spend_book import SpendBook

_MOST_DEBTS = 4_096


@dataclass(slots=True)
class _Alone:
    """The time at which the store's bucket is full again, in microseconds, without what this replica grants alone."""

    bucket: Bucket
    tat: int


class LocalShare:
    """The buckets and places of this replica, which follow those of the store while the store answers.

    *book* has the spend: what this process and the others had spent when the store was last read, and what this process
    has spent since.
    """

    def __init__(self, book: SpendBook, clock: Callable[[], float] = monotonic) -> None:
        self._ledger = MemoryLedger(book, clock)
        self._clock = clock
        self.used_alone: dict[str, _Alone] = {}
        """The buckets that granted claims while the store could not be reached."""

    def follow(self, claims: Claims, verdict: Verdict) -> None:
        """Note what the store said about the buckets of *claims*, and the places that it granted."""
        ledger, now = self._ledger, self._clock()
        now_us, tats = int(now * 1_000_000), ledger.tats
        for rate, used_us in zip(claims.rates, verdict.used_us, strict=True):
            tats[rate.bucket.name] = now_us + used_us
        ledger.share = 1
        if verdict.granted and claims.parallel:
            ledger.take_places(claims, now)

    def decide(self, claims: Claims, replicas: int, *, is_open: bool = False) -> Verdict:
        """Grant all of *claims* within the share of one of *replicas*, or none.

        With *is_open*, only money is limited.
        """
        if is_open:
            verdict = self._ledger.decide(Claims(claims.id, spends=claims.spends))
            free = (0.0,) * (len(claims.rates) + len(claims.parallel))
            used = (0,) * len(claims.rates)
            return Verdict(verdict.granted, free + verdict.waits_s, used, verdict.spent_nano)
        self._ledger.share = replicas
        now, tats = int(self._clock() * 1_000_000), self._ledger.tats
        before = [tats.get(rate.bucket.name, now) for rate in claims.rates]
        verdict = self._ledger.decide(claims)
        if verdict.granted and len(self.used_alone) < _MOST_DEBTS:
            for rate, tat in zip(claims.rates, before, strict=True):
                self.used_alone.setdefault(rate.bucket.name, _Alone(rate.bucket, tat))
        return verdict

    def settle(self, settlement: Settlement) -> None:
        """End a request. The store corrects what it has granted itself, so that this is no debt."""
        if not self.used_alone:  # as nearly always
            self._ledger.settle(settlement)
            return
        tats = self._ledger.tats
        known = [(alone, tats.get(alone.bucket.name, 0)) for alone in self._find_alone(settlement.rates)]
        self._ledger.settle(settlement)
        for alone, before in known:
            alone.tat += tats.get(alone.bucket.name, 0) - before

    def correct(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """Correct what buckets have granted alone. Return the changes of those whose debts were taken already."""
        taken = []
        for change in changes:
            bucket = change.bucket
            alone = self.used_alone.get(bucket.name)
            if alone is None:
                taken.append(change)
            else:  # undoes what settle() took for the store's
                claimed, used = gcra.cost_us(bucket, change.claimed), gcra.cost_us(bucket, change.used)
                alone.tat -= (used - claimed) * self._ledger.share
        return tuple(taken)

    def take_debts(self) -> tuple[Change, ...]:
        """Return what this replica's buckets have granted alone, for the store's buckets. Called once it answers.

        The replicas have granted as one bucket would, each by its share. So each owes its part of the difference
        between that bucket and the store's, which has filled meanwhile.
        """
        now = int(self._clock() * 1_000_000)
        debts = []
        for alone in self.used_alone.values():
            tat = self._ledger.tats.get(alone.bucket.name, now)
            owed_us = max(0, tat - max(now, alone.tat)) // self._ledger.share
            amount = owed_us * alone.bucket.per_minute // MINUTE_US
            if amount:
                debts.append(Change(alone.bucket, 0, min(amount, alone.bucket.capacity)))
        self.used_alone.clear()
        return tuple(debts)

    def _find_alone(self, changes: Sequence[Change]) -> list[_Alone]:
        found = (self.used_alone.get(change.bucket.name) for change in changes)
        return [alone for alone in found if alone is not None]
