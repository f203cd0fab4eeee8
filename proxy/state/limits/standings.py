"""The rest of the limits of a key, by what was last heard of its buckets."""

from __future__ import annotations

from typing import TypeAlias

from proxy.state.limits import gcra
from proxy.state.limits.claims import Bucket, Claims, Standing, Verdict
from proxy.state.limits.limit_table import KeyLimits

_Left: TypeAlias = tuple[int | None, int | None, float | None]
_NO_LIMIT: _Left = (None, None, None)


class Standings:
    """The time at which each bucket of a key or team is full again, in seconds of a steady clock."""

    def __init__(self) -> None:
        self._full_at: dict[str, float] = {}

    def note(self, claims: Claims, verdict: Verdict, now: float) -> None:
        """Note what *verdict* says about the buckets of *claims*."""
        full_at = self._full_at
        for rate, used_us in zip(claims.rates, verdict.used_us, strict=True):
            full_at[rate.bucket.name] = now + used_us / 1e6

    def standing_of(self, limits: KeyLimits, now: float) -> Standing:
        """Return what is left at *now*, for each kind of the holder that has the least of it."""
        requests = tokens = _NO_LIMIT
        for each in limits.holders:
            if each.requests is not None:
                requests = self._tighter(requests, each.requests, now)
            if each.tokens is not None:
                tokens = self._tighter(tokens, each.tokens, now)
        return Standing(*requests, *tokens)

    def _tighter(self, known: _Left, bucket: Bucket, now: float) -> _Left:
        """Return *known*, or the limit of *bucket*, what is left, and the seconds until it is full, if less is left."""
        used_s = self._full_at.get(bucket.name, now) - now
        if used_s < 0:
            used_s = 0.0
        left = gcra.remaining(bucket, round(used_s * 1e6))
        return known if known[1] is not None and known[1] <= left else (bucket.per_minute, left, used_s)
