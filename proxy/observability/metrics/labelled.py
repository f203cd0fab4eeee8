"""Counters and histograms with labels: made in one line, looked up fast, and handed to the library when it renders."""

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
    """A metric with labels; all its series are kept, since their label values are from closed sets.

    Series may be made in any thread (:func:`proxy.server.first_series.start_counts`), and rendered in any.
    """

    def __init__(self, registry: CollectorRegistry, name: str, text: str, labels: Sequence[str]) -> None:
        self.name, self.text, self.names = name, text, labels
        self._series: dict[tuple[str, ...], SeriesT] = {}
        self._lock = Lock()
        self.labels: Callable[..., SeriesT] = lru_cache(maxsize=None)(self._find_or_make)
        """Returns the series of these label values; those that were asked for before in C: a request asks ten times."""

        registry.register(self)

    @abstractmethod
    def make(self) -> SeriesT:
        """Return a new series."""

    @abstractmethod
    def family(self, series: Iterable[tuple[tuple[str, ...], SeriesT]]) -> Metric:
        """Return *series*, by their label values, as the library renders them."""

    def describe(self) -> Iterable[Metric]:
        """Return the metric without a series: what the library has instead of :meth:`collect` for a new metric."""
        return [self.family(())]

    @override
    def collect(self) -> Iterable[Metric]:
        """Return the metric as it stands."""
        with self._lock:
            series = self._series.copy()
        return [self.family(series.items())]

    def _find_or_make(self, *values: str) -> SeriesT:
        if len(values) != len(self.names):
            raise ValueError(f"{self.name} has the labels {self.names}.")
        written = tuple(map(str, values))  # as text: some are members of an enumeration
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
    """A histogram with labels; *bounds* are the upper ones of its buckets without the infinite one."""

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
    """Return a counter with *labels*; *text* is its help."""
    return Counters(registry, name, text, labels)


def histogram(
    registry: CollectorRegistry, name: str, text: str, buckets: Sequence[float], *labels: str
) -> Histograms:
    """Return a histogram with *labels*; *text* is its help, *buckets* are upper bounds without the infinite one."""
    return Histograms(registry, name, text, labels, buckets)
