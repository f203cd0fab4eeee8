"""Metrics of requests from the client's view: outcomes, durations and tokens."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from proxy.observability.metrics.labelled import counter, histogram

DURATIONS = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
_FIRST_TOKEN_BUCKETS = (0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160)
_PER_TOKEN_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2.5)
"""OpenTelemetry's bounds for ``gen_ai.server.time_per_output_token``, with smaller ones for faster providers."""

_OVERHEAD_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25)

# Each definition is a metric's name, its help text, a histogram's buckets, and its labels.

_REQUESTS = (
    "turnright_requests_total",
    "API requests that ended, by outcome. The outcome is ok, client_disconnected, or the code of the client's "
    "error, also as a stream's last event. The model is the configured name, or unknown.",
    "route",
    "model",
    "outcome",
)

_DURATION = (
    "turnright_request_duration_seconds",
    "Time from a request's arrival to the end of its answer. Streams and failures count too.",
    DURATIONS,
    "route",
    "model",
)

_FIRST_TOKEN = (
    "turnright_time_to_first_token_seconds",
    "Time from a streaming request's arrival to the first part of the answer that the client got, retries "
    "included.",
    _FIRST_TOKEN_BUCKETS,
    "model",
)

_PER_TOKEN = (
    "turnright_time_per_output_token_seconds",
    "Time from a stream's first text or call to its end, divided by the output tokens after the first. The "
    "provider's count without reasoning is used. Only complete streams of two tokens or more count.",
    _PER_TOKEN_BUCKETS,
    "model",
)

_OVERHEAD = (
    "turnright_overhead_seconds",
    "Time in turnright itself before the answer's headers. Waits for providers, for fetched images and between "
    "attempts are left out.",
    _OVERHEAD_BUCKETS,
    "route",
)

_TOKENS = (
    "turnright_tokens_total",
    "Tokens of answered requests, as the providers counted them. Cached tokens are part of the input, and "
    "reasoning tokens of the output. The type summary counts the calls that summarize conversations.",
    "model",
    "type",
)

_DISCONNECTS = (
    "turnright_client_disconnects_total",
    "API requests whose client left before the answer ended, or was cut off since it did not read.",
    "route",
)

_INTERRUPTED = (
    "turnright_streams_interrupted_total",
    "Streams that failed after a part of the answer had gone to the client, so that no retry was possible. The "
    "reason is the kind of failure, internal_error, or cut_off at the end of the grace period. Clients that left "
    "do not count.",
    "model",
    "reason",
)

_IN_FLIGHT_BYTES = (
    "turnright_in_flight_bytes",
    "Bytes of memory that are reserved for the API requests in flight, estimated from their bodies.",
)

_IN_FLIGHT = (
    "turnright_in_flight",
    "API requests in flight, until their answers are delivered.",
)

_SHED = (
    "turnright_shed_total",
    "API requests refused with 503: max_in_flight or max_in_flight_mib was reached, or more than half of either "
    "was taken and the client had its fair share.",
)


class RequestMetrics:
    """The metrics of requests. A model label is the model that the client asked for."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.requests = counter(registry, *_REQUESTS)
        self.duration = histogram(registry, *_DURATION)
        self.first_token = histogram(registry, *_FIRST_TOKEN)
        self.per_token = histogram(registry, *_PER_TOKEN)
        self.overhead = histogram(registry, *_OVERHEAD)
        self.tokens = counter(registry, *_TOKENS)
        self.disconnects = counter(registry, *_DISCONNECTS)
        self.interrupted = counter(registry, *_INTERRUPTED)
        self.in_flight_bytes = Gauge(*_IN_FLIGHT_BYTES, registry=registry)
        self.in_flight = Gauge(*_IN_FLIGHT, registry=registry)
        self.shed = Counter(*_SHED, registry=registry)
