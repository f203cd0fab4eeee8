"""Metrics of requests from the client's view: outcomes, durations and tokens."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from proxy.observability.metrics.labelled import counter, histogram

DURATIONS = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
_FIRST_TOKEN_BUCKETS = (0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160)
_PER_TOKEN_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2.5)
"""OpenTelemetry's bounds for ``gen_ai.server.time_per_output_token``, and lower bounds for faster providers."""

_OVERHEAD_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25)

# Each definition is a metric's name, its help text, a histogram's buckets, and its labels.

_REQUESTS = (
    "turnright_requests_total",
    "API requests that ended, by outcome: ok, the code of the error that the client got (also as the last "
    "event of a stream), or client_disconnected. The model is the configured name that was asked for, or "
    "unknown.",
    "route",
    "model",
    "outcome",
)

_DURATION = (
    "turnright_request_duration_seconds",
    "Time from a request's arrival to the end of its answer, streams and failures included.",
    DURATIONS,
    "route",
    "model",
)

_FIRST_TOKEN = (
    "turnright_time_to_first_token_seconds",
    "Time from a streaming request's arrival to the first part of an answer that went to the client; further "
    "attempts before it are included.",
    _FIRST_TOKEN_BUCKETS,
    "model",
)

_PER_TOKEN = (
    "turnright_time_per_output_token_seconds",
    "How fast a streamed answer was written: the time from its first text or call to its end, by the output "
    "tokens after the first, as the provider counted them, thoughts left out. Complete streams with a usage "
    "of two tokens or more.",
    _PER_TOKEN_BUCKETS,
    "model",
)

_OVERHEAD = (
    "turnright_overhead_seconds",
    "Time spent in turnright itself before the answer's headers went out: all but the waits for providers, "
    "for fetched images and between attempts.",
    _OVERHEAD_BUCKETS,
    "route",
)

_TOKENS = (
    "turnright_tokens_total",
    "Tokens of answered requests as the providers counted them; cached ones are part of the input, reasoning "
    "ones part of the output.",
    "model",
    "type",
)

_DISCONNECTS = (
    "turnright_client_disconnects_total",
    "API requests whose client went away, or took nothing for so long that it was cut off, before the answer "
    "had ended.",
    "route",
)

_INTERRUPTED = (
    "turnright_streams_interrupted_total",
    "Streams that broke when a part of the answer was with the client already, so that nothing could be tried "
    "again: by what failed, internal_error, or cut_off at the end of the grace period. Clients that left are "
    "not among them.",
    "model",
    "reason",
)

_IN_FLIGHT_BYTES = (
    "turnright_in_flight_bytes",
    "Bytes of memory that are reserved for the API requests being worked on, by an estimate from their bodies.",
)

_IN_FLIGHT = (
    "turnright_in_flight",
    "API requests being worked on, those included whose answer is being delivered.",
)

_SHED = (
    "turnright_shed_total",
    "API requests refused with 503: general_settings.max_in_flight were in flight, or max_in_flight_mib of "
    "memory was taken, or more than half of either and the client had its fair share.",
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
