"""Tests of the metrics of clients' keys."""

from __future__ import annotations

import pytest
from prometheus_client import generate_latest

from proxy.observability.metrics import Metrics
from proxy.observability.metrics.limits import EXACTNESS, REFUSAL_KINDS


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    """Return the value of one sample as a scrape would have it, or None if there is no such series."""
    return metrics.registry.get_sample_value(name, labels)


@pytest.mark.parametrize(("key", "label"), [("night-shift", "night-shift"), ("", "master")])
@pytest.mark.parametrize("exactness", EXACTNESS)
def test_spend_is_counted_in_dollars(key: str, label: str, exactness: str) -> None:
    """The master key has no name, and neither has a request where no keys are configured."""
    metrics = Metrics()
    for nano in (4_213_000, 1, 0):
        metrics.count_spend(key, "gemini", exactness, nano)

    labels = {"key": label, "model": "gemini", "exactness": exactness}
    assert value(metrics, "turnright_spend_usd_total", **labels) == pytest.approx(0.004213001)


@pytest.mark.parametrize("kind", REFUSAL_KINDS)
def test_a_refused_request_is_counted_by_kind(kind: str) -> None:
    metrics = Metrics()
    metrics.count_rate_limited("ci", kind)
    metrics.count_rate_limited("ci", kind)

    assert value(metrics, "turnright_rate_limited_total", key="ci", kind=kind) == 2


def test_the_used_share_is_that_of_the_last_scrape() -> None:
    """A period ends without an event. A key that a reload took away has no series any more."""
    metrics = Metrics()
    assert "# HELP turnright_budget_used_ratio" in generate_latest(metrics.registry).decode()
    assert value(metrics, "turnright_budget_used_ratio", key="ci") is None

    metrics.budget_used.ratios = {"ci": 0.5, "night-shift": 1.25}
    assert value(metrics, "turnright_budget_used_ratio", key="ci") == 0.5
    assert value(metrics, "turnright_budget_used_ratio", key="night-shift") == 1.25

    metrics.budget_used.ratios = {"night-shift": 0.0}
    assert value(metrics, "turnright_budget_used_ratio", key="ci") is None
    assert value(metrics, "turnright_budget_used_ratio", key="night-shift") == 0
