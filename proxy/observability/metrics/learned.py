"""Metrics of learned repairs: those that were made in advance, and the probes that test if they are still needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from proxy.observability.metrics.labelled import counter

PROBE_OUTCOMES = ("confirmed", "contradicted", "unclear")

# Each definition is a metric's name, its help text, and its labels.

_APPLIED = (
    "turnright_learned_applied_total",
    "Repairs that were made in advance, since the same repair had worked for the deployment before.",
    "model",
    "fault",
)

_PROBES = (
    "turnright_learned_probes_total",
    "Requests that were sent without a learned repair, by outcome. confirmed: refused for its fault. contradicted: "
    "accepted. unclear: neither.",
    "outcome",
)


_LEARNED = (
    "turnright_learned_repairs",
    "Repairs that at least one client's requests get in advance, by model and fault.",
)

Count = Callable[[], Mapping[tuple[str, str], int]]
"""Returns the number of learned repairs by model and fault."""


class LearnedRepairsGauge(Collector):
    """The number of learned repairs, counted when the metrics are rendered, since evidence decays by itself."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.count: Count | None = None
        registry.register(self)

    @override
    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily(*_LEARNED, labels=("model", "fault"))
        for values, number in ({} if self.count is None else self.count()).items():
            family.add_metric(values, number)
        return [family]


class LearnedMetrics:
    """The metrics of learned repairs."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.learned_repairs = LearnedRepairsGauge(registry)
        self.learned_applied = counter(registry, *_APPLIED)
        self.learned_probes = counter(registry, *_PROBES)
        for outcome in PROBE_OUTCOMES:
            self.learned_probes.labels(outcome)
