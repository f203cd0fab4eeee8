"""Closes a connection whose request was answered before its body was read.

aiohttp (3.14.5) would read and parse the rest of the body for ten seconds. Closing at once is no better. The kernel
answers unread bytes with a reset, and the client may then lose the answer (RFC 9112, 9.6).

So we close only our side after the answer. The client then has a moment to read the answer. Bytes that arrive until
then are dropped without being parsed.
"""

from __future__ import annotations

import asyncio

from aiohttp import web
from typing_extensions import override

LINGER_S = 1.0
"""Seconds that the client has to read the answer and close its side."""

MAX_DROPPED = 4 * 2**20
"""The largest number of bytes that are dropped. They take 16 reads, or 5 ms. A client that sends more is cut off."""

MIN_COUNTED = 4 * 2**10
"""The smallest number of bytes that a read counts for, even if it brings fewer.

So at most about a thousand reads happen before the client is cut off. They take 5 ms.
"""


async def close_unread(request: web.BaseRequest) -> None:
    """End our side of the connection of *request*, and wait until the client has ended its side.

    The caller has already written the answer, which must say ``Connection: close``. Otherwise aiohttp would answer
    pipelined requests that it has parsed already. Nothing further on the connection is parsed.

    Waits for at most :data:`LINGER_S` seconds and drops at most :data:`MAX_DROPPED` bytes.
    """
    transport, protocol = request.transport, request.protocol
    if transport is None or transport.is_closing():
        return
    rest = _DroppingProtocol(transport, protocol)
    transport.set_protocol(rest)
    transport.resume_reading()
    try:
        if transport.can_write_eof():
            transport.write_eof()
        async with asyncio.timeout(LINGER_S):
            await rest.ended
    except OSError:  # a TimeoutError, or the client reset the connection
        transport.abort()


class _DroppingProtocol(asyncio.Protocol):
    """Drops incoming data.

    Passes the pauses of writing and the connection's loss on to *original*, aiohttp's protocol of the connection.
    """

    def __init__(self, transport: asyncio.Transport, original: asyncio.Protocol) -> None:
        self._transport = transport
        self._original = original
        self._left = MAX_DROPPED
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """A future that is done when the client has ended its side or sent too much, or the connection is lost."""

    @override
    def data_received(self, data: bytes) -> None:
        self._left -= max(len(data), MIN_COUNTED)
        if self._left < 0:
            self._transport.pause_reading()
            self._end()

    @override
    def eof_received(self) -> None:
        self._end()

    @override
    def pause_writing(self) -> None:
        self._original.pause_writing()

    @override
    def resume_writing(self) -> None:
        self._original.resume_writing()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        self._original.connection_lost(exc)

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
