"""Finds the trace of a request: the one that its headers name, or a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proxy.observability.tracing import IncomingRequest
from proxy.observability.tracing.propagated_trace import PropagatedTrace
from proxy.observability.tracing.trace_context import TRACEPARENT, TRACESTATE, new_context, read_context

if TYPE_CHECKING:
    from aiohttp import web

    from proxy.forwarding.gateway import Gateway
    from proxy.observability.request_record import RequestRecord


def begin_trace(request: web.Request, record: RequestRecord, gateway: Gateway) -> None:
    """Give *record* its trace.

    A ``traceparent`` that cannot be read is replaced by a new one, also where no spans are made. The trace begins
    anew (W3C, section 3.2.4), and its id is in the log.
    """
    headers = request.headers
    parent = read_context(headers.getall(TRACEPARENT, ()), headers.getall(TRACESTATE, ()))
    propagate = gateway.settings.general_settings.tracing.propagate
    if gateway.tracing is None:
        context = parent or new_context(gateway.token)
        record.trace_id = context.trace_id
        if propagate:
            record.trace = PropagatedTrace(context, gateway.token)
        return
    resource = request.match_info.route.resource
    assert resource is not None, "an API path has matched"
    incoming = IncomingRequest(request.method, request.scheme, resource.canonical, record.route)
    record.trace = gateway.tracing.begin(parent, incoming, propagate=propagate)
    record.trace_id = record.trace.trace_id
