"""Tests of the metrics of learned repairs."""

from __future__ import annotations

from prometheus_client import generate_latest

from proxy.observability.metrics import Metrics
from proxy.observability.metrics.learned import PROBE_OUTCOMES


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    """Return the value of one sample as a scrape would have it, or None if there is no such series."""
    return metrics.registry.get_sample_value(name, labels)


def test_every_outcome_of_a_probe_has_a_series_from_the_start() -> None:
    """An alert on a rate needs counters that begin at 0."""
    metrics = Metrics()

    assert {
        value(metrics, "turnright_learned_probes_total", outcome=outcome) for outcome in PROBE_OUTCOMES
    } == {0}


def test_gauge_is_counted_at_each_scrape() -> None:
    """Evidence decays without an event, so the number is not kept. A process that learns nothing has no series."""
    metrics = Metrics()
    help_text = "# HELP turnright_learned_repairs Repairs that"
    assert help_text in generate_latest(metrics.registry).decode()
    assert value(metrics, "turnright_learned_repairs", model="m", fault="tail") is None

    counts = {("m", "tail"): 2, ("m", "parameter"): 0}
    metrics.learned_repairs.count = lambda: counts
    assert value(metrics, "turnright_learned_repairs", model="m", fault="tail") == 2
    assert value(metrics, "turnright_learned_repairs", model="m", fault="parameter") == 0

    counts = {("m", "tail"): 1}
    assert value(metrics, "turnright_learned_repairs", model="m", fault="tail") == 1
    assert value(metrics, "turnright_learned_repairs", model="m", fault="parameter") is None


def test_repairs_in_advance_are_counted_by_model_and_fault() -> None:
    metrics = Metrics()
    for fault in ("tail", "tail", "parameter"):
        metrics.learned_applied.labels("m", fault).inc()

    assert value(metrics, "turnright_learned_applied_total", model="m", fault="tail") == 2
    assert value(metrics, "turnright_learned_applied_total", model="m", fault="parameter") == 1
