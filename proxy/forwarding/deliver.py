"""Writes a whole answer to its client, within a time limit. A client that does not read is disconnected."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.forwarding.whole_answer import WholeAnswer, takes_at_once
from proxy.observability.request_record import CLIENT_DISCONNECTED, RequestRecord

_LONGEST_S = 120.0
"""Seconds that a client has to take a whole answer.

A client has the same time to send its body (:mod:`proxy.ingress.routes.read_body`).
"""


async def deliver(
    request: web.Request, response: web.StreamResponse, record: RequestRecord, *, draining: bool
) -> web.StreamResponse:
    """Write *response*, unless it was begun already, and return it. A client that does not read is disconnected.

    *record* is that of *request*. *draining* is true while the process drains.

    Without this function aiohttp would write the response after the last middleware. By then the request no longer
    counts towards the limit on concurrent requests, and no time limit applies.
    """
    if response.prepared:
        return response
    if response.__class__ is WholeAnswer:
        # Pages of allowed origins get more headers. While draining, each answer closes its connection.
        if not (record.origin or draining) and response.write_at_once(request, record.request_id):
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
        record.outcome = CLIENT_DISCONNECTED
    except ConnectionResetError:
        record.outcome = CLIENT_DISCONNECTED
    return response


def _fits(request: web.Request, response: web.Response) -> bool:
    """Return True where the transport takes the whole answer at once, as for most answers.

    No time limit is needed then. A timer costs 8 us for each answer.
    """
    body = response.body
    return isinstance(body, bytes) and takes_at_once(request.transport, len(body))
