"""The rest of the limits of a key, by what was last heard of its buckets."""

from __future__ import annotations

from typing import TypeAlias

from proxy.state.limits import gcra
from proxy.state.limits.claims import Bucket, Claims, Standing, Verdict
from proxy.state.limits.limit_table import KeyLimits

_Left: TypeAlias = tuple[int | None, int | None, float | None]


class Standings:
    """The time at which each bucket of a key or team is full again, in seconds of a steady clock."""

    def __init__(self) -> None:
        self._full_at: dict[str, float] = {}

    def note(self, claims: Claims, verdict: Verdict, now: float) -> None:
        """Note what *verdict* says about the buckets of *claims*."""
        for rate, used_us in zip(claims.rates, verdict.used_us, strict=True):
            self._full_at[rate.bucket.name] = now + used_us / 1e6

    def standing_of(self, limits: KeyLimits, now: float) -> Standing:
        """Return what is left at *now*, for each kind of the holder that has the least of it."""
        holders = limits.holders
        requests = self._tightest([each.requests for each in holders if each.requests is not None], now)
        tokens = self._tightest([each.tokens for each in holders if each.tokens is not None], now)
        return Standing(*requests, *tokens)

    def _tightest(self, buckets: list[Bucket], now: float) -> _Left:
        """Return the limit of the bucket that has the least left, what is left, and the seconds until it is full."""
        tightest: _Left = (None, None, None)
        for bucket in buckets:
            used_s = max(0.0, self._full_at.get(bucket.name, now) - now)
            left = gcra.remaining(bucket, round(used_s * 1e6))
            if tightest[1] is None or left < tightest[1]:
                tightest = bucket.per_minute, left, used_s
        return tightest
