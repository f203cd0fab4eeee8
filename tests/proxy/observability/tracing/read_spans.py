"""Helpers that read the exported spans."""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, format_span_id, format_trace_id

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
TRACED = {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "rojo=1,congo=2"}
USAGE = {
    "prompt_tokens": 70,
    "completion_tokens": 30,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 20},
}


class Spans:
    """The exported spans, by kind."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    @property
    def all(self) -> tuple[ReadableSpan, ...]:
        """Every ended span, in the order of the ends."""
        return self._exporter.get_finished_spans()

    @property
    def request(self) -> ReadableSpan:
        """The only span of a request, which ends last."""
        [span] = [span for span in self.all if span.kind is SpanKind.SERVER]
        assert self.all[-1] is span
        return span

    @property
    def attempts(self) -> list[ReadableSpan]:
        """The spans of the request's attempts, in the order of their ends."""
        return [span for span in self.all if span.kind is SpanKind.CLIENT]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    """Return the attributes of a span."""
    return dict(span.attributes or {})


def parent_of(span: ReadableSpan) -> str | None:
    """Return the id of a span's parent."""
    return format_span_id(span.parent.span_id) if span.parent is not None else None


def id_of(span: ReadableSpan) -> str:
    """Return the id of a span."""
    assert span.context is not None
    return format_span_id(span.context.span_id)


def trace_of(span: ReadableSpan) -> str:
    """Return the id of a span's trace."""
    assert span.context is not None
    return format_trace_id(span.context.trace_id)
