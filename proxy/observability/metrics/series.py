"""One series of a metric: what is counted for one set of label values.

The library's own take a lock for each number and look again at each step whether they may be written, five times what
these take. Only the loop's thread writes here; the thread that renders reads one number at a time, and each is whole.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence

from prometheus_client.samples import Exemplar


class CounterSeries:
    """A sum that only grows. *exemplar* is what the newest amount that came with labels came with."""

    __slots__ = ("exemplar", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self.exemplar: Exemplar | None = None

    def inc(self, amount: float = 1.0, labels: dict[str, str] | None = None) -> None:
        """Add *amount*; *labels* are those of an exemplar."""
        if amount < 0:
            raise ValueError("A counter does not go down.")
        self.value += amount
        if labels:
            self.exemplar = _exemplar(labels, amount)


class HistogramSeries:
    """How often there was what: *counts* by bucket, each alone; *bounds* are their upper ones, the last infinite."""

    __slots__ = ("bounds", "counts", "exemplars", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * len(bounds)
        self.exemplars: list[Exemplar | None] = [None] * len(bounds)
        self.sum = 0.0

    def observe(self, amount: float, labels: dict[str, str] | None = None) -> None:
        """Count *amount*, a number; *labels* are those of an exemplar."""
        bucket = bisect_left(self.bounds, amount)
        self.sum += amount
        self.counts[bucket] += 1
        if labels:
            self.exemplars[bucket] = _exemplar(labels, amount)


def _exemplar(labels: dict[str, str], amount: float) -> Exemplar:
    return Exemplar(labels, amount, time.time())  # noqa: TID251 - OpenMetrics has wall-clock time
