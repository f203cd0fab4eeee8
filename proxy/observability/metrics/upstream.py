"""Metrics of calls to providers: attempts, retries, fallbacks, and the circuit of each deployment."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Gauge

from proxy.observability.metrics.labelled import counter, histogram
from proxy.observability.metrics.requests import DURATIONS


class UpstreamMetrics:
    """The metrics of calls upstream."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.attempts = counter(
            registry,
            "turnright_upstream_attempts_total",
            "Calls made upstream, by the model that was called and the outcome: ok, what went wrong, internal_error, "
            "or cancelled when the client had left.",
            "model",
            "outcome",
        )
        self.upstream_duration = histogram(
            registry,
            "turnright_upstream_request_duration_seconds",
            "Time that one call upstream was waited for: until a streamed answer had begun, a whole one was there, or "
            "the call had failed or was given up. By the model that was called; one observation for each call.",
            DURATIONS,
            "model",
        )
        self.retries = counter(
            registry,
            "turnright_retries_total",
            "Further attempts on the same model, repaired ones included, by the model that the client asked for and "
            "what the last attempt failed of.",
            "model",
            "reason",
        )
        self.fallbacks = counter(
            registry,
            "turnright_fallbacks_total",
            "Requests that went on to another model, by the model that the client asked for and what the last attempt "
            "failed of.",
            "model",
            "reason",
        )
        self.circuits = Gauge(
            "turnright_circuit_state",
            "How a deployment stands: 0, it takes requests; 1, one is let through to try it; 2, it is left alone. The "
            "deployment is its place in model_list, from 0; of a wildcard's models the worst counts. "
            "With several client keys it is the state for all of them.",
            ("model", "deployment"),
            registry=registry,
        )
