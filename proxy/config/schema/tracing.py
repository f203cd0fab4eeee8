"""``general_settings.tracing``: OpenTelemetry's spans, and W3C's trace context."""

from __future__ import annotations

from typing import ClassVar

from proxy.config.schema.section import Section
from proxy.config.values import Flag


class Tracing(Section):
    """What is said of requests in traces. Where spans go is for the SDK's own ``OTEL_…`` variables to say."""

    where: ClassVar[str] = "general_settings.tracing"

    enabled: Flag | None = None
    """Whether spans are made and sent to a collector (OTLP over HTTP). Needs the extra ``otel``. Default: where
    ``OTEL_EXPORTER_OTLP_ENDPOINT`` or ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`` is set."""

    propagate: Flag = True
    """Whether providers are told which trace a request belongs to (``traceparent``, ``tracestate``). Default true, as
    W3C asks of everyone: the ids are random, and most providers ignore them; one's own servers and gateways join the
    trace. With false they stay here: in the log, and in spans."""
