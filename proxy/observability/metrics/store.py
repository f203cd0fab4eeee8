"""Metrics of the store outside the process: whether it answers, its errors, and the writes that wait for it."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from proxy.observability.metrics.labelled import counter
from proxy.state.external.backend import FaultKind

# Each definition is a metric's name, its help text, and its labels.

_UP = (
    "turnright_store_up",
    "1 while the store outside the process answers, or there is none. 0 while the circuit around it is open.",
)

_ERRORS = (
    "turnright_store_errors_total",
    "Errors of the store, by kind. timeout: no answer in time. connection: no connection. full: it has no room for "
    "writes. read_only: it takes no writes. corrupt: a value that cannot be read. refused: another error that it "
    "answered with. dropped: a write that was dropped, since too many waited. too_large: a value over its limit.",
    "kind",
)

_QUEUE_BYTES = (
    "turnright_store_queue_bytes",
    "Bytes of the writes that wait for the store.",
)

_SKIPPED = (
    "turnright_store_skipped_total",
    "Look-ups that did not ask the store, since the circuit around it was open.",
)


class StoreMetrics:
    """The metrics of the store outside the process. All series exist from the start."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._store_up = Gauge(*_UP, registry=registry)
        self._store_up.set(1)
        self._store_errors = counter(registry, *_ERRORS)
        for kind in FaultKind:
            self._store_errors.labels(kind.value)
        self._store_queue_bytes = Gauge(*_QUEUE_BYTES, registry=registry)
        self._store_skipped = Counter(*_SKIPPED, registry=registry)

    def count_store_error(self, kind: FaultKind) -> None:
        """Count one error of the store."""
        self._store_errors.labels(kind.value).inc()

    def set_store_up(self, up: bool) -> None:
        """Set whether requests use the store. False means that the circuit around the store is open."""
        self._store_up.set(1 if up else 0)

    def set_store_queue(self, size_bytes: int) -> None:
        """Set the bytes of the writes that wait for the store."""
        self._store_queue_bytes.set(size_bytes)

    def count_store_skipped(self) -> None:
        """Count one look-up that did not ask the store, since the circuit was open."""
        self._store_skipped.inc()
