"""One series of a metric: its numbers for one set of label values.

prometheus_client's own series take a lock for each number, and check each time whether the series may be written. That
takes five times as long. Here only the event loop's thread writes. The rendering thread reads one number at a time,
which is atomic.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence

from prometheus_client.samples import Exemplar


class CounterSeries:
    """A sum that only grows. *exemplar* shows the newest amount that came with labels."""

    __slots__ = ("exemplar", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self.exemplar: Exemplar | None = None

    def inc(self, amount: float = 1.0, labels: dict[str, str] | None = None) -> None:
        """Add *amount*. With *labels*, the amount becomes the exemplar."""
        if amount < 0:
            raise ValueError("A counter does not go down.")
        self.value += amount
        if labels:
            self.exemplar = _exemplar(labels, amount)


class HistogramSeries:
    """Counts amounts by bucket. *counts* are not cumulative.

    *bounds* are the upper bounds, and the last one is infinite.
    """

    __slots__ = ("bounds", "counts", "exemplars", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * len(bounds)
        self.exemplars: list[Exemplar | None] = [None] * len(bounds)
        self.sum = 0.0

    def observe(self, amount: float, labels: dict[str, str] | None = None) -> None:
        """Count *amount* in its bucket. With *labels*, the amount becomes the bucket's exemplar."""
        bucket = bisect_left(self.bounds, amount)
        self.sum += amount
        self.counts[bucket] += 1
        if labels:
            self.exemplars[bucket] = _exemplar(labels, amount)


def _exemplar(labels: dict[str, str], amount: float) -> Exemplar:
    return Exemplar(labels, amount, time.time())  # noqa: TID251 - OpenMetrics has wall-clock time
