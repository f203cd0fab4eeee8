"""Gives each request an id and a record, and writes the record of an API request once, however the request ends."""

from __future__ import annotations

import asyncio
import os
import re
from http import HTTPStatus
from math import inf

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.forwarding.calibrate import calibrate
from proxy.forwarding.deliver import deliver
from proxy.forwarding.gateway import CURRENT, GATEWAY, RECORD, Gateway
from proxy.forwarding.limits.settle_request import settle_request
from proxy.ingress.middlewares.origins import cors_headers
from proxy.ingress.routes.paths import LISTINGS, OTHER, api_route
from proxy.observability.finish_request import finish_request
from proxy.observability.request_record import CLIENT_DISCONNECTED, RequestRecord
from proxy.observability.tracing import IncomingRequest
from proxy.observability.tracing.propagated_trace import PropagatedTrace
from proxy.observability.tracing.trace_context import TRACEPARENT, TRACESTATE, new_context, read_context

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


@web.middleware
async def observe_requests(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Run *handler* with a record of the request. Other paths than the API's are neither logged nor counted.

    A request gets its gateway here, and keeps that gateway to its end, even across a reload
    (:mod:`proxy.server.reload`).
    """
    gateway = request[GATEWAY] = request.app[CURRENT].gateway
    loop = asyncio.get_running_loop()
    request_id = request_id_for(request.headers.get("x-request-id"))
    route = api_route(request)
    record = RequestRecord(request_id=request_id, route=route or OTHER, started=loop.time())
    request[RECORD] = record
    if route is None:
        response = await handler(request)
        return await deliver(request, response, record, draining=gateway.lifecycle.draining)
    if gateway.tracing is not None or TRACEPARENT in request.headers:
        begin_trace(request, record, gateway)
    task = asyncio.current_task(loop)
    assert task is not None
    record.deadline = record.started + gateway.settings.router_settings.timeout
    gateway.lifecycle.in_flight[task] = record
    try:
        response = await handler(request)
        record.deadline = inf
        record.status = response.status
        return await deliver(request, response, record, draining=gateway.lifecycle.draining)
    except asyncio.CancelledError:
        record.outcome = CLIENT_DISCONNECTED
        raise
    finally:
        del gateway.lifecycle.in_flight[task]
        now = loop.time()
        if record.meter is not None or record.admission is not None:
            settle_request(record, gateway)
        recent = None if record.route in LISTINGS else gateway.recent_requests
        finish_request(record, gateway.metrics, now, recent)
        if record.refused:
            gateway.refusals.count(record.outcome, now)
        if record.trace is not None:
            record.trace.end(record)
        calibrate(record, gateway, now)
        if not gateway.compaction.is_off:
            gateway.summaries.count_request(record)


def request_id_for(sent: str | None) -> str:
    """Return the client's own ``x-request-id`` where it is a plain token, or a new random id.

    The id goes into a header and a log line, and a token cannot break either. The provider does not get the id. vLLM
    takes an ``x-request-id`` as its own id. vLLM refuses a second running request with the same id (vllm#10583,
    #11036), such as a retry. ``traceparent`` connects the client's and the provider's traces instead.
    """
    if sent is not None and _REQUEST_ID.fullmatch(sent):
        return sent
    return "req_" + os.urandom(12).hex()


def begin_trace(request: web.Request, record: RequestRecord, gateway: Gateway) -> None:
    """Give *record* the trace that the request's headers name, or a new one.

    A ``traceparent`` that cannot be read is replaced by a new one, even where no spans are made. The trace begins anew
    (W3C, section 3.2.4), and its id is in the log.
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


async def add_standing_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add the request id and any CORS headers to every answer. Close the connection after the answer while draining.

    The connection is also closed after a refused key, and where the rest of the body would have to be read first
    (:mod:`proxy.core.close_unread`).
    """
    record = request.get(RECORD)
    if record is not None:
        response.headers["x-request-id"] = record.request_id
        if request[GATEWAY].settings.general_settings.allowed_origins:
            response.headers.update(cors_headers(record.origin))
    if (
        request.app[CURRENT].gateway.lifecycle.draining
        or not request.content.is_eof()
        or response.status == HTTPStatus.UNAUTHORIZED
    ):
        response.force_close()
        response.headers["Connection"] = "close"  # aiohttp has already set its own value
