"""Traces: which one a request belongs to, and what is said of it there.

    traceparent ─▶ trace_context ─▶ begin_trace ─▶ RequestTrace ──for each attempt──▶ AttemptTrace ─▶ traceparent
                   (pure)                          │  without the SDK: passed_on, which only passes the context on
                                                   └─ with it: spans, which exporting sends to a collector

Rules: only W3C's two headers are taken in and passed on. A span holds names, numbers and words from closed sets: no
message, key, header or address of a client is ever put into one. OpenTelemetry is imported where it is switched on, and
nowhere else; what it does is done in a thread of its own, and a request never waits for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from proxy.observability.request_record import RequestTrace

if TYPE_CHECKING:
    from proxy.observability.tracing.trace_context import TraceContext
    from proxy.upstream import Upstream

ANSWERED = "ok"
"""How an attempt ends that was answered."""

CANCELLED = "cancelled"
"""How an attempt ends whose client has left: no fault of the provider's."""


class IncomingRequest(NamedTuple):
    """What a span says of a request that has come in."""

    method: str
    scheme: str
    path: str
    """The template that the request's path matched: ``/v1/models/{id}`` itself holds what a client has written."""

    route: str


class Tracing(Protocol):
    """What makes spans, and sends them; there is one where tracing is switched on."""

    def begin(
        self, parent: TraceContext | None, incoming: IncomingRequest, *, propagate: bool
    ) -> RequestTrace:
        """Return the trace of a request that has come in, below the client's *parent* if there is one.

        *propagate* says whether providers are told of the trace.
        """

    def listening(self, upstream: Upstream) -> Upstream:
        """Return *upstream* with what it answers told to the trace of each call."""

    async def close(self) -> None:
        """Send what is left, in bounded time."""
