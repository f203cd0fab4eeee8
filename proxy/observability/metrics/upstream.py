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
            "Calls to providers, by the model that was called and the outcome. The outcome is ok, the kind of "
            "failure, internal_error, or cancelled when the client had left.",
            "model",
            "outcome",
        )
        self.upstream_duration = histogram(
            registry,
            "turnright_upstream_request_duration_seconds",
            "Time of one call to a provider: until a stream begins, a whole answer is there, or the call fails or "
            "is given up. The model is the one that was called.",
            DURATIONS,
            "model",
        )
        self.retries = counter(
            registry,
            "turnright_retries_total",
            "Retries on the same model, repaired requests included. The model is the one that the client asked "
            "for, and the reason is the last attempt's failure.",
            "model",
            "reason",
        )
        self.fallbacks = counter(
            registry,
            "turnright_fallbacks_total",
            "Requests that went on to another model. The model is the one that the client asked for, and the "
            "reason is the last attempt's failure.",
            "model",
            "reason",
        )
        self.circuits = Gauge(
            "turnright_circuit_state",
            "The circuit of a deployment: 0 closed (it takes requests), 1 half open (one request probes it), 2 "
            "open (it gets none). The deployment is its position in model_list, from 0. Of a wildcard's models "
            "the worst counts. With several client keys it is the state for all of them.",
            ("model", "deployment"),
            registry=registry,
        )
