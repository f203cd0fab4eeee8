"""Reads a request's body within a time limit, so that a slow client cannot hold an admission slot for ever.

The body is read and decompressed after the key was checked and the request was admitted. If the request was refused
before that, its body is never read.
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
"""Seconds for a whole body: 32 MiB at 2.5 Mbit/s."""

_AT_ONCE = 2**20
"""The most bytes, before and after decompression, that are decompressed on the event loop, in 5 ms.

Longer bodies go to a worker thread.
"""

_STEP = 4 * 2**20
"""Bytes that are decompressed in one step of a worker thread, in 20 ms.

Memory for these bytes is reserved beforehand.
"""

_AHEAD = 64 * 2**10
"""The fewest bytes of memory that are reserved ahead of a body's arrival.

For a longer body, as many bytes are reserved ahead as have already arrived.
"""

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


async def read_body(request: web.Request, gateway: Gateway, record: RequestRecord) -> bytes:
    """Return the body of *request*, decompressed. ``request.client_max_size`` limits it before and after decompression.

    Memory is reserved for the body while it arrives, and then for the decoded values. Raises :class:`RequestTooSlow`
    where the body does not arrive in time. Raises :class:`web.HTTPRequestEntityTooLarge` for a body over the limit.
    Raises the errors of :mod:`proxy.core.unpack_body` and :mod:`proxy.ingress.routes.reserve_memory` as well.
    """
    packed = hdrs.CONTENT_ENCODING in request.headers
    coding = find_coding(request.headers.getall(hdrs.CONTENT_ENCODING)) if packed else None
    content, most = request.content, request.client_max_size
    if content.is_eof():  # most bodies come with their headers, and a timer for each costs 8 us
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
        need = size * gateway.memory_factor + 1  # an empty body reserves a byte as well
        # Most bodies came whole and fit into the memory left. For them this equals `reserve`, without a call.
        if not record.reserved and gateway.memory.admit(record.client, record.started, need):
            record.reserved = need
        else:
            reserve(record, gateway, need)
    else:
        await reserve_decoded(body, record, gateway)
    return body


async def _receive(request: web.Request, most: int) -> bytes:
    """Return the bytes of a body that is still arriving. Answers ``Expect: 100-continue`` first."""
    waits = request.headers.get(hdrs.EXPECT, "").lower() == "100-continue"
    if waits and request.version >= HttpVersion11 and request.transport is not None:
        request.transport.write(_CONTINUE)
    received = io.BytesIO()  # its value is the buffer itself, while `request.read()` copies it
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
    """Return the decompressed *body*. Memory for the result is reserved step by step."""
    gateway, record = request[GATEWAY], request[RECORD]
    unpacking = BodyUnpacker(body, coding, request.client_max_size)
    done = len(body) <= _AT_ONCE and unpacking.unpack(_AT_ONCE)
    while not done:
        reserve(record, gateway, len(body) + unpacking.size + _STEP)
        done = await run_offloaded(LARGE + 1, lambda: unpacking.unpack(unpacking.size + _STEP))
    return unpacking.body()
