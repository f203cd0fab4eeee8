"""A replica's share of the limits, which it enforces by itself while the store cannot be reached.

With N replicas, each lets a limit's N-th part pass, and at least one request. Neither letting everything pass nor
refusing everything would be right: the one burns a quota, and the other is an outage (envoyproxy/ratelimit#462).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from proxy.state.limits import gcra
from proxy.state.limits.claims import Bucket, Change, Claims, RateClaim, Settlement, Verdict
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.spend_book import SpendBook

_MOST_DEBTS = 4_096


@dataclass(slots=True)
class _Alone:
    """The time at which a bucket is full again, in microseconds, by what this process has granted alone."""

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
        self._used_alone: dict[str, _Alone] = {}
        """The buckets that granted claims while the store could not be reached, and what they granted then."""

    def follow(self, claims: Claims, verdict: Verdict) -> None:
        """Note what the store said about the buckets of *claims*, and the places that it granted."""
        now = int(self._clock() * 1_000_000)
        for rate, used_us in zip(claims.rates, verdict.used_us, strict=True):
            self._ledger.tats[rate.bucket.name] = now + used_us
        self._ledger.share = 1
        if verdict.granted:
            self._ledger.take_places(claims)

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
        verdict = self._ledger.decide(claims)
        if verdict.granted and len(self._used_alone) < _MOST_DEBTS:
            self._note_alone(claims.rates)
        return verdict

    def settle(self, settlement: Settlement) -> None:
        """End a request, wherever it was admitted."""
        self._ledger.settle(settlement)

    def correct(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """Correct what buckets have granted alone. Return the changes of those whose debts were taken already."""
        now, taken = int(self._clock() * 1_000_000), []
        for change in changes:
            bucket = change.bucket
            alone = self._used_alone.get(bucket.name)
            if alone is None:
                taken.append(change)
            else:
                claimed, used = gcra.cost_us(bucket, change.claimed), gcra.cost_us(bucket, change.used)
                alone.tat = gcra.settle(alone.tat, now, claimed, used)
        return tuple(taken)

    def take_debts(self) -> tuple[Change, ...]:
        """Return what this replica's buckets have granted alone, for the store's buckets. Called once it answers.

        What has flowed into the buckets again meanwhile is left out, and so is what the store has granted itself.
        """
        if not self._used_alone:  # as after nearly every verdict
            return ()
        now = int(self._clock() * 1_000_000)
        debts = []
        for alone in self._used_alone.values():
            amount = max(0, alone.tat - now) * alone.bucket.per_minute // gcra.MINUTE_US
            if amount:
                debts.append(Change(alone.bucket, 0, min(amount, alone.bucket.capacity)))
        self._used_alone.clear()
        return tuple(debts)

    def _note_alone(self, rates: Sequence[RateClaim]) -> None:
        now = int(self._clock() * 1_000_000)
        for rate in rates:
            bucket = rate.bucket
            alone = self._used_alone.setdefault(bucket.name, _Alone(bucket, now))
            alone.tat = max(now, alone.tat) + gcra.cost_us(bucket, rate.amount)
