"""Sends spans to a collector by OTLP over HTTP, in batches, from a thread of the SDK.

The SDK's own variables configure it (``OTEL_EXPORTER_OTLP_ENDPOINT``, ``OTEL_SERVICE_NAME``, ``OTEL_TRACES_SAMPLER``,
``OTEL_BSP_…``). If a collector is slow or gone, spans beyond the SDK's queue are lost. A collector never delays a
request.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from proxy import __version__
from proxy.observability.logs import get_log
from proxy.observability.tracing import IncomingRequest
from proxy.observability.tracing.spans import RequestSpan, begin_span
from proxy.observability.tracing.trace_context import TraceContext
from proxy.observability.tracing.traced_upstream import TracedUpstream
from proxy.upstream import Upstream

_FLUSH_S = 3.0
"""Seconds within which the last spans must be sent when the process ends. The SDK would wait for thirty."""


def open_exporting() -> Exporting:
    """Return the maker of spans that sends them to a collector.

    Raises :class:`ValueError` for a variable of the SDK with a value that the SDK cannot use.
    """
    return Exporting(BatchSpanProcessor(OTLPSpanExporter()))


class Exporting:
    """Makes spans and gives them to *processor* when they end (:class:`proxy.observability.tracing.Tracing`)."""

    def __init__(self, processor: SpanProcessor) -> None:
        named = OTELResourceDetector().detect().attributes
        ours = {"service.name": "turnright", "service.version": __version__, **named}
        self._provider = TracerProvider(resource=Resource.create(ours), shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("turnright", __version__)

    def begin(
        self, parent: TraceContext | None, incoming: IncomingRequest, *, propagate: bool
    ) -> RequestSpan:
        """See :class:`proxy.observability.tracing.Tracing`."""
        return begin_span(self._tracer, parent, incoming, propagate=propagate)

    def wrap_upstream(self, upstream: Upstream) -> Upstream:
        """See :class:`proxy.observability.tracing.Tracing`."""
        return TracedUpstream(upstream)

    async def close(self) -> None:
        """See :class:`proxy.observability.tracing.Tracing`.

        The spans are sent in a daemon thread, since a call to a collector that does not answer cannot be cancelled.
        """
        loop, sent = asyncio.get_running_loop(), asyncio.Event()

        def send() -> None:
            self._provider.shutdown()
            with contextlib.suppress(RuntimeError):  # the event loop has already closed
                loop.call_soon_threadsafe(sent.set)

        threading.Thread(target=send, name="last-spans", daemon=True).start()
        try:
            async with asyncio.timeout(_FLUSH_S):
                await sent.wait()
        except TimeoutError:
            get_log().warning("spans_lost", waited_s=_FLUSH_S)
