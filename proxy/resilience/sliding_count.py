"""Counts recent events, in constant time and memory. Callers pass the current time."""

from __future__ import annotations

from math import floor

_BEFORE_EVERYTHING = -(2**63)


class SlidingCount:
    """A count over the last *span_s* seconds, kept in *parts* equal parts.

    The oldest part is dropped as a whole. So no counted event is older than the span. Events of up to one part of the
    span may be missing. A *now* earlier than the newest *now* counts as the newest.
    """

    __slots__ = ("_at", "_counts", "_next", "_part_s", "_total")

    def __init__(self, span_s: float, parts: int = 10) -> None:
        self._part_s = span_s / parts
        self._counts = [0] * parts
        self._at = 0
        self._next = _BEFORE_EVERYTHING  # the number of the next part
        self._total = 0

    def add(self, now: float) -> None:
        """Count one event at *now*."""
        if now / self._part_s >= self._next:
            self._move_to(now)
        self._counts[self._at] += 1
        self._total += 1

    def total(self, now: float) -> int:
        """Return the count over the span that ends at *now*."""
        if now / self._part_s >= self._next:
            self._move_to(now)
        return self._total

    def clear(self) -> None:
        """Forget everything."""
        self._counts = [0] * len(self._counts)
        self._total = 0

    def _move_to(self, now: float) -> None:
        """Begin the later part that holds *now*."""
        part, parts = floor(now / self._part_s), len(self._counts)
        for passed in range(max(self._next, part - parts + 1), part + 1):
            self._total -= self._counts[passed % parts]
            self._counts[passed % parts] = 0
        self._at, self._next = part % parts, part + 1
