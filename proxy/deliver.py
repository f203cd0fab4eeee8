"""A whole answer on its way to its client, in bounded time: one that does not read must not hold it for ever."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.keys import RECORD
from proxy.observation import CLIENT_DISCONNECTED

_LONGEST_S = 120.0
"""Seconds for a whole answer, as long as a client has for its body (:mod:`proxy.routes.read_body`)."""


async def deliver(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Write *response*, unless it was begun already, and return it; a client that does not take it is cut off.

    aiohttp would write it after the last middleware, when the request has given its place back, and wait for ever.
    """
    if not isinstance(response, web.Response) or response.prepared:
        return response
    try:
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
