"""Limits the retries on one deployment, so that retries do not multiply the load during an outage.

The clock is an argument.
"""

from __future__ import annotations

from proxy.resilience.sliding_count import SlidingCount

_SPAN_S = 10.0
_ONE_IN = 5
_ALWAYS = 10

MAX_TENANTS = 1_000
"""The most tenants of one deployment whose retries are counted separately.

Beyond that, the oldest tenant is dropped.
"""


class RetryBudget:
    """Retries over the last ten seconds: at most 20 % of the requests, but ten are always allowed.

    The rule and the share are those of Finagle. With only a limit per request, every request would try three times
    while a provider is down. Ten retries are always allowed, so that a single user's one failure in a quiet minute is
    retried. Events are counted in parts of one second, so the window is nine to ten seconds long.
    """

    __slots__ = ("_retries", "requests")

    def __init__(self) -> None:
        self.requests = SlidingCount(_SPAN_S)
        self._retries = SlidingCount(_SPAN_S)

    def count_request(self, now: float) -> None:
        """Count a request's first attempt."""
        self.requests.add(now)

    def count_retry(self, now: float) -> None:
        """Count a retry, even one beyond the budget."""
        self._retries.add(now)

    def allows(self, now: float) -> bool:
        """Return True where one more retry is within the budget. Counts nothing."""
        return self._retries.total(now) < _ALWAYS or self.has_share(now)

    def has_share(self, now: float) -> bool:
        """Return True where one more retry is within the 20 %, without the ten that are always allowed."""
        return (self._retries.total(now) + 1) * _ONE_IN <= self.requests.total(now)


class SharedRetryBudget:
    """The retries of one deployment, shared by tenants (clients' keys).

    Each tenant has ten retries, or a fifth of its own requests if that is more. No other tenant can use up these
    retries. A tenant may have more while the retries of all tenants are within a fifth of the requests of all. For a
    single tenant, the result is that of :class:`RetryBudget`.
    """

    __slots__ = ("_all", "_own")

    def __init__(self) -> None:
        self._all = RetryBudget()
        self._own: dict[str, RetryBudget] = {}

    def count_request(self, now: float, tenant: str = "") -> None:
        """Count a request's first attempt."""
        own = self._own.get(tenant) or self._find_own(tenant)
        own.requests.add(now)
        self._all.requests.add(now)

    def count_retry(self, now: float, tenant: str = "") -> None:
        """Count a retry, even one beyond the budget."""
        self._find_own(tenant).count_retry(now)
        self._all.count_retry(now)

    def allows(self, now: float, tenant: str = "") -> bool:
        """Return True where *tenant* may have one more retry. Counts nothing."""
        own = self._own.get(tenant)
        return own is None or own.allows(now) or self._all.has_share(now)

    def _find_own(self, tenant: str) -> RetryBudget:
        own = self._own.get(tenant)
        if own is None:
            own = self._own[tenant] = RetryBudget()
            if len(self._own) > MAX_TENANTS:
                del self._own[next(iter(self._own))]
        return own
