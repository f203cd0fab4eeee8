"""Requests that are claimed in advance, for keys that send more than 500 requests a second to this process.

Such a key would keep the store busy with one call a request. With N replicas, a lease is at most a hundredth of the
bucket, divided by N - 1. So unused leases hold at most 1 % of a bucket back, and nothing is granted twice.

Only keys whose limits are requests a minute have leases. Tokens, places and money are claimed one request at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

from proxy.resilience.sliding_count import SlidingCount
from proxy.state.limits.claims import Bucket, Change, Claims, RateClaim, Settlement, Verdict
from proxy.state.limits.fallback_ledger import FallbackLedger, Rule
from proxy.state.limits.limit_table import KeyLimits

BUSY = 500
"""The requests a second above which a key has leases."""

_SPAN_S = 1.0
_LEASE_S = 1.0
"""Seconds after which what is left of a lease is given back."""

_PAUSE_S = 0.25
"""Seconds after a refused lease in which requests are claimed singly. The bucket is nearly empty then."""

_SHARE = 100


class _Lease:
    """The *left* requests that were claimed from *buckets*, until a time on the steady clock."""

    __slots__ = ("buckets", "full_at", "left", "until")

    def __init__(
        self, buckets: tuple[Bucket, ...], left: int, full_at: tuple[float, ...], until: float
    ) -> None:
        self.buckets = buckets
        self.left = left
        self.full_at = full_at
        self.until = until


class Leases:
    """Decides on claims by *ledger*, and in advance for busy keys. *replicas* returns the number of processes."""

    def __init__(
        self, ledger: FallbackLedger, replicas: Callable[[], int], clock: Callable[[], float] = monotonic
    ) -> None:
        self._ledger = ledger
        self._replicas = replicas
        self._clock = clock
        self._rates: dict[str, SlidingCount] = {}
        self._leases: dict[str, _Lease] = {}
        self._next_at: dict[str, float] = {}
        """The time from which a key may have a lease: infinite while one is asked for, later after a refusal."""

    async def decide(
        self, key: str, limits: KeyLimits, claims: Claims, rule: Rule
    ) -> tuple[Verdict | None, bool]:
        """Return what :meth:`FallbackLedger.decide` returns. *claims* are those of one request of *key*."""
        if not limits.limits_requests_alone or not self._ledger.is_shared:
            return await self._ledger.decide(claims, rule)
        now = self._clock()
        if (verdict := self._use(key, claims, now)) is not None:
            return verdict, True
        more = self._count(key, claims, now)
        if more and self._next_at.get(key, now) <= now:
            self._next_at[key] = inf  # requests that come meanwhile would all claim an advance
            try:
                verdict, by_ledger = await self._claim_more(key, claims, more, rule)
            finally:
                self._next_at.pop(key, None)
            if verdict is None or verdict.granted:
                return verdict, by_ledger
            self._next_at[key] = now + _PAUSE_S
        return await self._ledger.decide(claims, rule)

    async def _claim_more(
        self, key: str, claims: Claims, more: int, rule: Rule
    ) -> tuple[Verdict | None, bool]:
        """Claim *more* requests than the one of *claims*."""
        rates = tuple(RateClaim(rate.bucket, rate.amount + more) for rate in claims.rates)
        verdict, by_ledger = await self._ledger.decide(Claims(claims.id, rates), rule)
        if verdict is not None and verdict.granted:
            if by_ledger:
                self._keep(key, claims, verdict, more)
            else:  # a share alone grants no advance
                self._give_back(tuple(Change(rate.bucket, more, 0) for rate in claims.rates), by_ledger)
        return verdict, by_ledger

    def clear(self) -> None:
        """Give all leases back, since the limits have changed."""
        for key in list(self._leases):
            self._end(key)

    def give_back_old(self) -> None:
        """Give back what is left of leases whose time is over, and forget keys that are idle."""
        now = self._clock()
        for key, lease in list(self._leases.items()):
            if lease.until <= now:
                self._end(key)
        self._rates = {key: rate for key, rate in self._rates.items() if rate.total(now)}
        self._next_at = {key: at for key, at in self._next_at.items() if at > now}

    def _use(self, key: str, claims: Claims, now: float) -> Verdict | None:
        """Use one request of the lease of *key*, and return the verdict. None where there is no lease."""
        lease = self._leases.get(key)
        if lease is None:
            return None
        if not lease.left or lease.until <= now:
            self._end(key)
            return None
        self._note(key, now)
        lease.left -= 1
        used = tuple(max(0, int((full_at - now) * 1e6)) for full_at in lease.full_at)
        return Verdict(True, (0.0,) * len(claims.rates), used, ())

    def _count(self, key: str, claims: Claims, now: float) -> int:
        """Count a request of *key*. Return the requests to claim in advance, which is 0 for a key that is not busy."""
        if self._note(key, now) <= BUSY:
            return 0
        smallest = min(rate.bucket.capacity for rate in claims.rates)
        return max(1, smallest // (_SHARE * max(1, self._replicas() - 1)))

    def _note(self, key: str, now: float) -> int:
        rate = self._rates.get(key)
        if rate is None:
            rate = self._rates[key] = SlidingCount(_SPAN_S)
        rate.add(now)
        return rate.total(now)

    def _keep(self, key: str, claims: Claims, verdict: Verdict, more: int) -> None:
        now = self._clock()
        self._end(key)  # another request may have taken a lease meanwhile
        full_at = tuple(now + used_us / 1e6 for used_us in verdict.used_us)
        self._leases[key] = _Lease(tuple(rate.bucket for rate in claims.rates), more, full_at, now + _LEASE_S)

    def _end(self, key: str) -> None:
        lease = self._leases.pop(key, None)
        if lease is not None and lease.left:
            self._give_back(tuple(Change(bucket, lease.left, 0) for bucket in lease.buckets), by_ledger=True)

    def _give_back(self, changes: tuple[Change, ...], by_ledger: bool) -> None:
        self._ledger.settle(Settlement("", changes), is_in_ledger=by_ledger)
