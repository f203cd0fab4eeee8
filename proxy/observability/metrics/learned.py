"""Metrics of learned repairs: those that were made in advance, and the probes that test if they are still needed."""

from __future__ import annotations

from prometheus_client import CollectorRegistry

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


class LearnedMetrics:
    """The metrics of learned repairs."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.learned_applied = counter(registry, *_APPLIED)
        self.learned_probes = counter(registry, *_PROBES)
        for outcome in PROBE_OUTCOMES:
            self.learned_probes.labels(outcome)
