"""A whole answer on its way to its client, in bounded time: one that does not read must not hold it for ever."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.whole_answer import WholeAnswer, takes_at_once
from proxy.observability.request_record import CLIENT_DISCONNECTED

_LONGEST_S = 120.0
"""Seconds for a whole answer, as long as a client has for its body (:mod:`proxy.ingress.routes.read_body`)."""


async def deliver(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Write *response*, unless it was begun already, and return it; a client that does not take it is cut off.

    aiohttp would write it after the last middleware, when the request has given its place back, and wait for ever.
    """
    if response.prepared:
        return response
    if response.__class__ is WholeAnswer:
        record = request[RECORD]
        # An allowed page gets further headers, and while draining each answer closes its connection.
        adds_headers = record.origin or request[GATEWAY].lifecycle.draining
        if not adds_headers and response.leave(request, record.request_id):
            return response
        response = response.as_response()
    elif not isinstance(response, web.Response):
        return response
    try:
        if _fits(request, response):
            await response.prepare(request)
            await response.write_eof()
            return response
        async with asyncio.timeout(_LONGEST_S):
            await response.prepare(request)
            await response.write_eof()
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
        request[RECORD].outcome = CLIENT_DISCONNECTED
    except ConnectionResetError:
        request[RECORD].outcome = CLIENT_DISCONNECTED
    return response


def _fits(request: web.Request, response: web.Response) -> bool:
    """Tell whether an answer is taken by the transport at once, so that nothing can be waited for: most are.

    A timer for each costs 8 us.
    """
    body = response.body
    return isinstance(body, bytes) and takes_at_once(request.transport, len(body))
