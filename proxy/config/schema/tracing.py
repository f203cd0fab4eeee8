"""``general_settings.tracing``: OpenTelemetry's spans, and W3C's trace context."""

from __future__ import annotations

from typing import ClassVar

from proxy.config.schema.section import Section
from proxy.config.values import Flag


class Tracing(Section):
    """Spans of requests. The SDK's own ``OTEL_…`` variables say where they are sent."""

    where: ClassVar[str] = "general_settings.tracing"

    enabled: Flag | None = None
    """Make spans and send them to a collector (OTLP over HTTP). Needs the extra ``otel``.

    Default: true where ``OTEL_EXPORTER_OTLP_ENDPOINT`` or ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`` is set.
    """

    propagate: Flag = True
    """Send providers the trace that a request belongs to (``traceparent``, ``tracestate``).

    Default true, as W3C asks of everyone. The ids are random, and most providers ignore them. Self-hosted servers and
    gateways join the trace. With false the ids stay in the log and in spans.
    """
