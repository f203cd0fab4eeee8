"""Metrics of the process: its version, configuration, event loop, memory and garbage collector."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

from proxy import __version__
from proxy.core.connection_table import Reason
from proxy.core.worker_threads import THREADS
from proxy.observability.metrics.labelled import counter
from proxy.observability.metrics.loop_lag import LoopLag

# Each definition is a metric's name, its help text, a histogram's buckets, and its labels.

_READY = (
    "turnright_ready",
    "1 while the process takes new requests. 0 before it is warm, and from SIGTERM on.",
)

_CONNECTIONS = (
    "turnright_connections",
    "Open connections of clients, on all listeners.",
)

_CONNECTIONS_CLOSED = (
    "turnright_connections_closed_total",
    "Connections that turnright closed. slow_head: no request within 30 s. address: one address held a quarter of "
    "all without an accepted request. maximum: there was no room, and it had no accepted request. idle: there was "
    "no room, and it was idle longest. refused: it was new, and all others were busy. descriptors: the process "
    "had no descriptor left.",
    "reason",
)

_LOOP_LAG = (
    "turnright_event_loop_lag_seconds",
    "The longest delay of the event loop in the last ten seconds. Every request waited that long beside its own "
    "work.",
)

_OFFLOAD_WAITING = (
    "turnright_offload_waiting",
    "Steps of large requests that wait for a worker thread. Each client has one thread at a time.",
)

_CONFIG_RELOADS = (
    "turnright_config_reloads_total",
    "Reloads of the configuration: ok, or failed. A failed one changes nothing.",
    "result",
)

_CONFIG_RELOAD_SUCCESS = (
    "turnright_config_reload_success",
    "1 while the newest configuration is in use, 0 after one was refused.",
)

_CONFIG_RELOAD_TIMESTAMP = (
    "turnright_config_reload_timestamp_seconds",
    "Unix time of the last successful reload, or of the start.",
)

_BUILD = (
    "turnright_build_info",
    "Always 1. The version is a label.",
    ("version",),
)


class ProcessMetrics:
    """The metrics of the process, with the library's own ``process_*`` and ``python_gc_*``."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.ready = Gauge(*_READY, registry=registry)
        self.connections = Gauge(*_CONNECTIONS, registry=registry)
        self.connections_closed = counter(registry, *_CONNECTIONS_CLOSED)
        for reason in Reason:
            self.connections_closed.labels(reason.value)
        self.loop_lag = LoopLag()
        """The timer of :class:`LoopLag` must run on the event loop (``LoopLag.watching``).

        The gauge below reads the worst lag.
        """

        Gauge(*_LOOP_LAG, registry=registry).set_function(self.loop_lag.worst)
        Gauge(*_OFFLOAD_WAITING, registry=registry).set_function(lambda: THREADS.waiting)
        self.config_reloads = counter(registry, *_CONFIG_RELOADS)
        self.config_reload_success = Gauge(*_CONFIG_RELOAD_SUCCESS, registry=registry)
        self.config_reload_timestamp = Gauge(*_CONFIG_RELOAD_TIMESTAMP, registry=registry)
        self.config_reload_success.set(1)  # the start counts as a reload
        self.config_reload_timestamp.set_to_current_time()
        for result in ("ok", "failed"):
            self.config_reloads.labels(result)
        build = Gauge(*_BUILD, registry=registry)
        build.labels(__version__).set(1)
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
