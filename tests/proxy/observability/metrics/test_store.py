"""Tests of the metrics of the store outside the process."""

from __future__ import annotations

import pytest

from proxy.observability.metrics import Metrics
from proxy.state.external.backend import FaultKind


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    """Return the value of one sample as a scrape would have it, or None if there is no such series."""
    return metrics.registry.get_sample_value(name, labels)


def test_series_exist_from_the_start() -> None:
    """A process without a store outside of it is up, and every kind of error has its series at 0.

    An alert on a rate needs counters that begin at 0.
    """
    metrics = Metrics()

    assert value(metrics, "turnright_store_up") == 1
    assert value(metrics, "turnright_store_queue_bytes") == 0
    assert value(metrics, "turnright_store_skipped_total") == 0
    assert {value(metrics, "turnright_store_errors_total", kind=kind) for kind in FaultKind} == {0}


def test_up_follows_the_circuit() -> None:
    """The gauge is 0 while the circuit around the store is open, and 1 again afterwards."""
    metrics = Metrics()
    seen = []
    for up in (False, True):
        metrics.set_store_up(up)
        seen.append(value(metrics, "turnright_store_up"))

    assert seen == [0, 1]


@pytest.mark.parametrize("kind", FaultKind)
def test_an_error_is_counted_under_its_own_kind(kind: FaultKind) -> None:
    """An error adds one to the series of its kind, and to no other series."""
    metrics = Metrics()
    metrics.count_store_error(kind)
    counts = {other: value(metrics, "turnright_store_errors_total", kind=other) for other in FaultKind}

    assert counts == {other: float(other is kind) for other in FaultKind}


def test_waiting_writes_and_skipped_lookups_are_shown() -> None:
    """The queue's gauge has the newest size, and each skipped look-up is counted."""
    metrics = Metrics()
    metrics.set_store_queue(4_096)
    metrics.set_store_queue(700)
    metrics.count_store_skipped()
    metrics.count_store_skipped()

    assert value(metrics, "turnright_store_queue_bytes") == 700
    assert value(metrics, "turnright_store_skipped_total") == 2
