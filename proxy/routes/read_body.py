"""A request's body, read in bounded time: a client that sends a byte a minute must not hold a place for ever."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.errors import RequestTooSlow

_LONGEST_S = 120.0
"""Seconds for a whole body: 32 MiB over a line of 2.5 Mbit/s."""


async def read_body(request: web.Request) -> bytes:
    """Return the body; its size is bounded by the application.

    Raises :class:`RequestTooSlow` when it is not there in time.
    """
    content = request.content
    if content.is_eof():  # it came with its headers: most do, and a timer for each costs 8 us
        body = content.read_nowait()
        if len(body) > request.client_max_size:
            raise web.HTTPRequestEntityTooLarge(request.client_max_size, len(body))
        return body
    try:
        async with asyncio.timeout(_LONGEST_S):
            return await request.read()
    except TimeoutError:
        raise RequestTooSlow(f"The body did not arrive within {_LONGEST_S:.0f} seconds.") from None
