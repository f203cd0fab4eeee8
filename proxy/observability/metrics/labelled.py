"""Counters and histograms with labels.

Series are looked up fast, and are converted for prometheus_client only when metrics are rendered.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from threading import Lock
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import INF, floatToGoString
from typing_extensions import override

from proxy.observability.metrics.series import CounterSeries, HistogramSeries

SeriesT = TypeVar("SeriesT", CounterSeries, HistogramSeries)


class Labelled(Collector, Generic[SeriesT]):
    """A metric with labels. All series of a metric are kept, since their label values come from closed sets.

    Series may be made and rendered in any thread (:func:`proxy.server.first_series.start_counts`).
    """

    def __init__(self, registry: CollectorRegistry, name: str, text: str, labels: Sequence[str]) -> None:
        self.name, self.text, self.names = name, text, labels
        self._series: dict[tuple[str, ...], SeriesT] = {}
        self._lock = Lock()
        self.labels: Callable[..., SeriesT] = lru_cache(maxsize=None)(self._find_or_make)
        """Returns the series for the given label values.

        The cache is written in C, since a request makes ten look-ups.
        """

        registry.register(self)

    @abstractmethod
    def make(self) -> SeriesT:
        """Return a new series."""

    @abstractmethod
    def family(self, series: Iterable[tuple[tuple[str, ...], SeriesT]]) -> Metric:
        """Return *series*, by their label values, in prometheus_client's form."""

    def describe(self) -> Iterable[Metric]:
        """Return the metric without a series.

        At registration prometheus_client calls this method and not :meth:`collect`.
        """
        return [self.family(())]

    @override
    def collect(self) -> Iterable[Metric]:
        """Return the metric with its current series."""
        with self._lock:
            series = self._series.copy()
        return [self.family(series.items())]

    def _find_or_make(self, *values: str) -> SeriesT:
        if len(values) != len(self.names):
            raise ValueError(f"{self.name} has the labels {self.names}.")
        written = tuple(map(str, values))  # some values are members of an enumeration
        with self._lock:
            series = self._series.get(written)
            if series is None:
                series = self._series[written] = self.make()
        return series


class Counters(Labelled[CounterSeries]):
    """A counter with labels."""

    @override
    def make(self) -> CounterSeries:
        return CounterSeries()

    @override
    def family(self, series: Iterable[tuple[tuple[str, ...], CounterSeries]]) -> Metric:
        family = CounterMetricFamily(self.name, self.text, labels=self.names)
        for values, one in series:
            family.add_metric(values, one.value, exemplar=one.exemplar)
        return family


class Histograms(Labelled[HistogramSeries]):
    """A histogram with labels. *bounds* are the upper bounds of its buckets, without the infinite one."""

    def __init__(
        self,
        registry: CollectorRegistry,
        name: str,
        text: str,
        labels: Sequence[str],
        bounds: Sequence[float],
    ) -> None:
        self._bounds = (*map(float, bounds), INF)
        self._shown: Sequence[str] = tuple(map(floatToGoString, self._bounds))
        super().__init__(registry, name, text, labels)

    @override
    def make(self) -> HistogramSeries:
        return HistogramSeries(self._bounds)

    @override
    def family(self, series: Iterable[tuple[tuple[str, ...], HistogramSeries]]) -> Metric:
        family = HistogramMetricFamily(self.name, self.text, labels=self.names)
        for values, one in series:
            buckets = zip(self._shown, accumulate(one.counts), one.exemplars, strict=True)
            shown = [
                (bound, count) if exemplar is None else (bound, count, exemplar)
                for bound, count, exemplar in buckets
            ]
            family.add_metric(values, shown, one.sum)
        return family


def counter(registry: CollectorRegistry, name: str, text: str, *labels: str) -> Counters:
    """Return a counter with *labels*. *text* is its help."""
    return Counters(registry, name, text, labels)


def histogram(
    registry: CollectorRegistry, name: str, text: str, buckets: Sequence[float], *labels: str
) -> Histograms:
    """Return a histogram with *labels*. *text* is its help, and *buckets* are upper bounds without the infinite one."""
    return Histograms(registry, name, text, labels, buckets)
