"""How many retries one deployment may get, so that an outage is not multiplied. Pure: the clock is an argument."""

from __future__ import annotations

from proxy.resilience.sliding_count import SlidingCount

_SPAN_S = 10.0
_ONE_IN = 5
_ALWAYS = 10


class RetryBudget:
    """Retries over the last ten seconds: at most 20 % of the requests, but ten are always allowed.

    Finagle's rule and share. A limit per request alone lets every client's every request try three times against a
    provider that is down; the floor is there so that a lone user's one failure in a quiet minute is still retried.
    Counted by the second: the window is nine to ten seconds long, never longer than ten.
    """

    __slots__ = ("_requests", "_retries")

    def __init__(self) -> None:
        self._requests = SlidingCount(_SPAN_S)
        self._retries = SlidingCount(_SPAN_S)

    def count_request(self, now: float) -> None:
        """Count a request's first attempt."""
        self._requests.add(now)

    def count_retry(self, now: float) -> None:
        """Count a further attempt, whether it was within the budget or not."""
        self._retries.add(now)

    def allows(self, now: float) -> bool:
        """Tell whether one more retry is within the budget; counts nothing."""
        retries = self._retries.total(now)
        return retries < _ALWAYS or (retries + 1) * _ONE_IN <= self._requests.total(now)
