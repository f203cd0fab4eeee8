"""Traces: the trace that a request belongs to, and the spans that describe it.

    traceparent ─▶ trace_context ─▶ begin_trace ─▶ RequestTrace ──for each attempt──▶ AttemptTrace ─▶ traceparent
                   (pure)                          │  without the SDK: propagated_trace only passes the context on
                                                   └─ with it: spans, which exporting sends to a collector

Only the W3C headers ``traceparent`` and ``tracestate`` are read and passed on. A span holds names, numbers and words
from closed sets. A span never holds a message, key, header or address of a client. OpenTelemetry is imported only where
it is switched on. OpenTelemetry sends spans in its own thread, and no request waits for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from proxy.observability.request_record import RequestTrace

if TYPE_CHECKING:
    from proxy.observability.tracing.trace_context import TraceContext
    from proxy.upstream import Upstream

ANSWERED = "ok"
"""The outcome of an attempt that was answered."""

CANCELLED = "cancelled"
"""The outcome of an attempt whose client left. The provider is not at fault."""


class IncomingRequest(NamedTuple):
    """The facts of a request for its span."""

    method: str
    scheme: str
    path: str
    """The template that the path matched.

    The requested path itself may hold a client's text, for example after ``/v1/models/``.
    """

    route: str


class Tracing(Protocol):
    """Makes spans and sends them. It exists where tracing is switched on."""

    def begin(
        self, parent: TraceContext | None, incoming: IncomingRequest, *, propagate: bool
    ) -> RequestTrace:
        """Return the trace of a new request, below the client's *parent* if there is one.

        With *propagate*, providers get the trace's headers.
        """

    def wrap_upstream(self, upstream: Upstream) -> Upstream:
        """Return *upstream*, wrapped so that the trace of each call gets the facts of its answer."""

    async def close(self) -> None:
        """Send the spans that are left, within a time limit."""
