"""Tests of the reports on a store's failures."""

from __future__ import annotations

from prometheus_client import CollectorRegistry

from proxy.observability.metrics.store import StoreMetrics
from proxy.observability.store_reports import StoreReports
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.external.guarded_backend import StoreEvents
from tests.proxy.conftest import LogLines


def test_each_change_of_state_is_one_line(log_lines: LogLines) -> None:
    """The lines name the reason. The metric says whether the store is used."""
    registry = CollectorRegistry()
    reports = StoreReports(StoreMetrics(registry))
    up = []
    for change in (
        reports.came_up,
        lambda: reports.went_down(StoreFault(FaultKind.TIMEOUT, "no answer")),
        reports.came_up,
        lambda: reports.stopped_writing(FaultKind.FULL, 30.0),
        reports.resumed_writing,
        lambda: reports.set_aside("state.db.corrupt-1", "damaged"),
    ):
        change()
        up.append(registry.get_sample_value("turnright_store_up"))

    assert [
        {name: value for name, value in line.items() if name not in {"timestamp", "level"}}
        for line in log_lines()
    ] == [
        {"event": "store_up"},
        {"event": "store_down", "reason": "timeout", "detail": "no answer"},
        {"event": "store_up"},
        {"event": "store_takes_no_writes", "reason": "full", "next_try_s": 30.0},
        {"event": "store_takes_writes"},
        {"event": "store_set_aside", "file": "state.db.corrupt-1", "reason": "damaged"},
    ]
    assert up == [1, 0, 1, 1, 1, 1]
    assert registry.get_sample_value("turnright_store_errors_total", {"kind": "corrupt"}) == 1


def test_counts_are_metrics() -> None:
    """Errors are counted by kind, skipped look-ups and waiting bytes as they are."""
    registry = CollectorRegistry()
    reports: StoreEvents = StoreReports(StoreMetrics(registry))

    reports.count_error(FaultKind.CORRUPT)
    reports.count_skipped()
    reports.set_waiting(77)

    assert registry.get_sample_value("turnright_store_errors_total", {"kind": "corrupt"}) == 1
    assert registry.get_sample_value("turnright_store_skipped_total") == 1
    assert registry.get_sample_value("turnright_store_queue_bytes") == 77
