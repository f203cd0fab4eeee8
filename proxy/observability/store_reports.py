"""Reports a store's failures: metrics for each, and one log line for each change of its state."""

from __future__ import annotations

from proxy.observability.logs import get_log
from proxy.observability.metrics.store import StoreMetrics
from proxy.state.external.backend import FaultKind, StoreFault


class StoreReports:
    """Records a store's failures in *metrics* (:class:`proxy.state.external.guarded_backend.StoreEvents`)."""

    def __init__(self, metrics: StoreMetrics) -> None:
        self._metrics = metrics
        self.count_error = metrics.count_store_error
        self.count_skipped = metrics.count_store_skipped
        self.set_waiting = metrics.set_store_queue

    def went_down(self, fault: StoreFault) -> None:
        """Log that requests go on without the store, and why. The words of a fault hold no address and no key."""
        self._metrics.set_store_up(up=False)
        get_log().warning("store_down", reason=fault.kind.value, detail=str(fault))

    def came_up(self) -> None:
        """Log that requests use the store."""
        self._metrics.set_store_up(up=True)
        get_log().info("store_up")

    def stopped_writing(self, kind: FaultKind, seconds: float) -> None:
        """Log that the store takes no writes, and when the next write is tried."""
        get_log().warning("store_takes_no_writes", reason=kind.value, next_try_s=seconds)

    def resumed_writing(self) -> None:
        """Log that the store takes writes again."""
        get_log().info("store_takes_writes")

    def set_aside(self, file: str, reason: str) -> None:
        """Count a damaged or foreign file, and log that it was renamed to *file* and a new one begun."""
        self.count_error(FaultKind.CORRUPT)
        get_log().error("store_set_aside", file=file, reason=reason)
