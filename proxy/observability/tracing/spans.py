"""Makes spans: a server span for each request, and below it a client span for each call upstream.

An import contract lets this module and :mod:`proxy.observability.tracing.exporting` alone import OpenTelemetry. The
parent of each span is passed explicitly. OpenTelemetry's context variables are neither read nor set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    TraceState,
    format_span_id,
    format_trace_id,
    set_span_in_context,
)

from proxy.observability.tracing import ANSWERED, CANCELLED, IncomingRequest
from proxy.observability.tracing.gen_ai_attributes import AnswerFacts, attributes_of_call, operation_of
from proxy.observability.tracing.request_attributes import (
    attributes_of_record,
    attributes_of_request,
    fault_of,
)
from proxy.observability.tracing.trace_context import TraceContext, headers_of
from proxy.resilience.decide_action import Step

if TYPE_CHECKING:
    from proxy.core.deployment import Deployment
    from proxy.observability.request_record import RequestRecord

_NO_CONTEXT = Context()


class RequestSpan:
    """The span of one request, with the number of its retries and fallbacks (a ``RequestTrace``)."""

    __slots__ = ("_below", "_fallbacks", "_propagate", "_retries", "_span", "_tracer")

    def __init__(self, tracer: Tracer, span: Span, *, propagate: bool) -> None:
        self._tracer = tracer
        self._span = span
        self._below = set_span_in_context(span, _NO_CONTEXT)
        self._propagate = propagate
        self._retries = self._fallbacks = 0

    @property
    def trace_id(self) -> str:
        """See :class:`proxy.observability.request_record.RequestTrace`."""
        return format_trace_id(self._span.get_span_context().trace_id)

    def begin_attempt(self, record: RequestRecord, deployment: Deployment) -> AttemptSpan:
        """See :class:`proxy.observability.request_record.RequestTrace`."""
        operation = operation_of(record.route)
        span = self._tracer.start_span(
            f"{operation} {deployment.model_id}",
            self._below,
            SpanKind.CLIENT,
            {
                **attributes_of_call(operation, deployment, stream=record.stream),
                "turnright.attempt": record.attempts,
            },
        )
        headers = (
            headers_of(_context_of(span.get_span_context()), deployment.extra_headers)
            if self._propagate
            else {}
        )
        return AttemptSpan(span, headers, self._on_step, stream=record.stream)

    def end(self, record: RequestRecord) -> None:
        """See :class:`proxy.observability.request_record.RequestTrace`."""
        span = self._span
        span.set_attributes(attributes_of_record(record, self._retries, self._fallbacks))
        fault = fault_of(record)
        if fault is not None:
            _fail(span, fault)
        span.end()

    def _on_step(self, then: Step) -> None:
        if then is Step.FALL_BACK:
            self._fallbacks += 1
        elif then is not Step.GIVE_UP:
            self._retries += 1


class AttemptSpan:
    """The span of one call upstream (an ``AttemptTrace``). *on_step* is called with the step that follows a failure."""

    __slots__ = ("_asked", "_facts", "_on_step", "_span", "_stream", "headers")

    def __init__(
        self, span: Span, headers: Mapping[str, str], on_step: Callable[[Step], None], *, stream: bool
    ) -> None:
        self.headers = headers
        self._span = span
        self._on_step = on_step
        self._stream = stream
        self._asked = monotonic()
        self._facts: AnswerFacts | None = None

    def read_part(self, part: Mapping[str, Any]) -> None:
        """See :class:`proxy.observability.request_record.AttemptTrace`."""
        if self._facts is None:
            self._facts = AnswerFacts()
            if self._stream:
                waited = monotonic() - self._asked
                self._span.set_attribute("gen_ai.response.time_to_first_chunk", round(waited, 6))
        self._facts.read_part(part)

    def end(self, outcome: str, then: Step | None = None) -> None:
        """See :class:`proxy.observability.request_record.AttemptTrace`."""
        span = self._span
        if self._facts is not None:
            span.set_attributes(self._facts.attributes())
        span.set_attribute("turnright.outcome", str(outcome))
        if then is not None:
            span.set_attribute("turnright.then", str(then))
            self._on_step(then)
        if outcome not in (ANSWERED, CANCELLED):
            _fail(span, str(outcome))
        span.end()


def begin_span(
    tracer: Tracer, parent: TraceContext | None, incoming: IncomingRequest, *, propagate: bool
) -> RequestSpan:
    """Return the span of a new request. See :meth:`proxy.observability.tracing.Tracing.begin`."""
    above = _NO_CONTEXT if parent is None else set_span_in_context(_remote(parent), _NO_CONTEXT)
    name = f"{incoming.method} {incoming.route}"
    span = tracer.start_span(name, above, SpanKind.SERVER, attributes_of_request(incoming))
    return RequestSpan(tracer, span, propagate=propagate)


def _fail(span: Span, error_type: str) -> None:
    """Mark *span* as failed. The span gets no description, which could quote a client or a provider."""
    span.set_attribute("error.type", error_type)
    span.set_status(Status(StatusCode.ERROR))


def _remote(parent: TraceContext) -> Span:
    entries = [entry.partition("=") for entry in parent.state.split(",") if entry]
    return NonRecordingSpan(
        SpanContext(
            int(parent.trace_id, 16),
            int(parent.span_id, 16),
            is_remote=True,
            trace_flags=TraceFlags(parent.flags),
            trace_state=TraceState([(key, value) for key, _, value in entries]),
        )
    )


def _context_of(context: SpanContext) -> TraceContext:
    return TraceContext(
        format_trace_id(context.trace_id),
        format_span_id(context.span_id),
        int(context.trace_flags),
        context.trace_state.to_header(),
    )
