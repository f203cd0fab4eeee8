"""A request's body, read in bounded time: a client that sends a byte a minute must not hold a place for ever.

It is read and unpacked here, behind the key and with a place taken: no byte of a refused request is.
"""

from __future__ import annotations

import asyncio
import io

from aiohttp import HttpVersion11, hdrs, web

from proxy.core.errors import RequestTooSlow
from proxy.core.offload import LARGE, run_offloaded
from proxy.core.unpack_body import BodyUnpacker, find_coding
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.ingress.routes.reserve_memory import reserve, reserve_decoded
from proxy.observability.request_record import RequestRecord
from proxy.resilience.memory_need import SMALL

_LONGEST_S = 120.0
"""Seconds for a whole body: 32 MiB over a line of 2.5 Mbit/s."""

_AT_ONCE = 2**20
"""Bytes that are unpacked on the event loop, packed or unpacked: 5 ms. What is longer goes to a worker thread."""

_STEP = 4 * 2**20
"""Bytes that are unpacked in one turn of a worker thread, 20 ms, and are reserved beforehand."""

_AHEAD = 64 * 2**10
"""Bytes that are reserved before they arrive, or as many as have arrived: so it is done few times."""

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


async def read_body(request: web.Request, gateway: Gateway, record: RequestRecord) -> bytes:
    """Return the body of *request*, unpacked; ``request.client_max_size`` bounds it, packed and unpacked.

    Memory is reserved for it while it arrives, and then for what it is decoded to. Raises :class:`RequestTooSlow` when
    it is not there in time, :class:`web.HTTPRequestEntityTooLarge` when it is over the bound, and what
    :mod:`proxy.core.unpack_body` and :mod:`proxy.ingress.routes.reserve_memory` raise.
    """
    packed = hdrs.CONTENT_ENCODING in request.headers
    coding = find_coding(request.headers.getall(hdrs.CONTENT_ENCODING)) if packed else None
    content, most = request.content, request.client_max_size
    if content.is_eof():  # it came with its headers: most do, and a timer for each costs 8 us
        body = content.read_nowait()
        if len(body) > most:
            raise web.HTTPRequestEntityTooLarge(most, len(body))
    else:
        try:
            async with asyncio.timeout(_LONGEST_S):
                body = await _receive(request, most)
        except TimeoutError:
            raise RequestTooSlow(f"The body did not arrive within {_LONGEST_S:.0f} seconds.") from None
    if coding is not None:
        body = await _unpack(request, body, coding)
    size = len(body)
    if size <= SMALL:
        need = size * gateway.memory_times + 1  # an empty body is a request as well
        # Most bodies came whole, and find room: for them this is all of `reserve`.
        if not record.reserved and gateway.memory.take(record.client, record.started, need):
            record.reserved = need
        else:
            reserve(record, gateway, need)
    else:
        await reserve_decoded(body, record, gateway)
    return body


async def _receive(request: web.Request, most: int) -> bytes:
    """Return the bytes of a body that has not all come yet, asking for it where the client waits to be asked."""
    waits = request.headers.get(hdrs.EXPECT, "").lower() == "100-continue"
    if waits and request.version >= HttpVersion11 and request.transport is not None:
        request.transport.write(_CONTINUE)
    received = io.BytesIO()  # its value is the buffer itself, where `request.read()` copies all of it
    gateway, record, size, reserved = request[GATEWAY], request[RECORD], 0, 0
    announced = request.content_length or most
    while piece := await request.content.readany():
        size += received.write(piece)
        if size > most:
            raise web.HTTPRequestEntityTooLarge(most, size)
        if size > reserved:
            reserved = min(size + max(size, _AHEAD), announced)
            reserve(record, gateway, reserved)
    return received.getvalue()


async def _unpack(request: web.Request, body: bytes, coding: str) -> bytes:
    """Return what *body* unpacks to; what is there of it counts from step to step."""
    gateway, record = request[GATEWAY], request[RECORD]
    unpacking = BodyUnpacker(body, coding, request.client_max_size)
    done = len(body) <= _AT_ONCE and unpacking.unpack(_AT_ONCE)
    while not done:
        reserve(record, gateway, len(body) + unpacking.size + _STEP)
        done = await run_offloaded(LARGE + 1, lambda: unpacking.unpack(unpacking.size + _STEP))
    return unpacking.body()
