"""A trace that is passed on without being recorded, for a process without OpenTelemetry's SDK.

Each attempt sends its own span id to the provider, as if the attempt were a span (W3C, section 3.4). A tracer on the
provider's side can then distinguish two attempts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from proxy.observability.tracing.trace_context import TraceContext, headers_of, new_span_id
from sanitizers.record import record

if TYPE_CHECKING:
    from proxy.core.deployment import Deployment
    from proxy.observability.request_record import RequestRecord
    from proxy.resilience.decide_action import Step


@record
class PropagatedTrace:
    """One request, as a part of the trace *context*. *token* returns random hexadecimal digits."""

    context: TraceContext
    token: Callable[[], str]

    @property
    def trace_id(self) -> str:
        """See :class:`proxy.observability.request_record.RequestTrace`."""
        return self.context.trace_id

    def begin_attempt(self, _: RequestRecord, deployment: Deployment) -> PropagatedAttempt:
        """See :class:`proxy.observability.request_record.RequestTrace`."""
        trace = self.context
        context = TraceContext(trace.trace_id, new_span_id(self.token), trace.flags, trace.state)
        return PropagatedAttempt(headers_of(context, deployment.extra_headers))

    def end(self, record: RequestRecord) -> None:
        """Do nothing: there is no span."""


@record
class PropagatedAttempt:
    """An attempt whose trace is not recorded."""

    headers: Mapping[str, str]

    def read_part(self, part: Mapping[str, Any]) -> None:
        """Do nothing."""

    def end(self, outcome: str, then: Step | None = None) -> None:
        """Do nothing."""
