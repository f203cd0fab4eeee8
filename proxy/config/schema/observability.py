"""``general_settings.logs``, ``.tracing`` and ``.inspector``: the ways to see what the proxy does."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import Count, Flag


class Logs(Section):
    """The log on standard output: one line for each request, without any text of clients."""

    where: ClassVar[str] = "general_settings.logs"

    format: Annotated[Literal["auto", "json", "readable"], BeforeValidator(from_environment)] = "auto"
    """``auto`` (default) is ``readable`` at a terminal and ``json`` elsewhere.

    ``json`` is for log collectors. ``readable`` is aligned columns, in colours at a terminal. ``NO_COLOR`` and
    ``TERM=dumb`` switch the colours off. Read at start.
    """

    level: Annotated[Literal["info", "warning"], BeforeValidator(from_environment)] = "info"
    """``info`` (default) logs every request. ``warning`` logs only events that need attention, and no requests.

    Read at start.
    """


class Tracing(Section):
    """Spans of requests. The SDK's own ``OTEL_…`` variables set the collector."""

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


class Inspector(Section):
    """The recent requests that the inspector, the page at ``/ui``, keeps in the memory of this process."""

    where: ClassVar[str] = "general_settings.inspector"

    requests: Annotated[Count, Field(le=10_000)] = 200
    """The number of recent requests to keep: time, model, outcome and duration of each, but no text. Default 200."""

    bodies: Flag = False
    """Keep the bodies of chat requests as well, for anyone with the key to see. Default false."""

    mib: Count = 16
    """MiB that the kept bodies may take together. The oldest are dropped first. Default 16."""
