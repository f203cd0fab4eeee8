"""The bytes of one answer: read as they come, within the call's time and a bound, and never waited for in vain."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

from proxy.errors import UpstreamFault
from proxy.upstream.patience import Patience

TOO_LARGE = "The provider's answer is too large."

_TURN = 2**20
"""Bytes that are taken before others have a turn: what unpacks to very much is all there at once."""


class AnswerBody:
    """The body of *response*, decoded, piece by piece; *patience* watches it (:meth:`Patience.watch`)."""

    def __init__(self, response: aiohttp.ClientResponse, patience: Patience) -> None:
        self._content = response.content
        self._patience = patience
        self._held = b""
        self._in_turn = 0

    async def next(self) -> bytes:
        """Return the next bytes, nothing at the end.

        Raises :class:`proxy.errors.UpstreamTimeout` when none come in time, and aiohttp's errors.
        """
        if self._held:
            held, self._held = self._held, b""
            return held
        self._patience.expect()
        try:
            taken = await self._content.readany()
        finally:
            self._patience.heard()
        self._in_turn += len(taken)
        if self._in_turn >= _TURN:
            self._in_turn = 0
            await asyncio.sleep(0)
        return taken

    def put_back(self, begun: bytes) -> None:
        """Have *begun* come again with the next :meth:`next`."""
        self._held = begun

    async def rest(self, largest: int) -> bytes:
        """Return all that is still to come.

        Raises :class:`UpstreamFault` when it is more than *largest* bytes, and what :meth:`next` raises.
        """
        parts: list[bytes] = []
        size = 0
        while part := await self.next():
            size += len(part)
            if size > largest:
                raise UpstreamFault(TOO_LARGE)
            self._patience.begin()
            parts.append(part)
        return b"".join(parts)


@contextmanager
def woken_when_lost(response: aiohttp.ClientResponse) -> Iterator[None]:
    """Make a read of *response* fail once its connection is gone and its body is not complete.

    aiohttp closes the connection when the framing of a body breaks (a chunk's size that is none), tells the
    connection's queue of messages, and forgets to tell the body, whose reader would wait for ever; it stops its own
    read timeout as well (3.14.5, ``ResponseHandler.data_received``; its C parser lets go of the body before it
    raises). The future for the end of a connection is its public way to see that.
    """
    protocol = response.connection.protocol if response.connection is not None else None
    if protocol is None:  # the body is complete
        yield
        return
    lost = protocol.closed
    if lost is None:  # gone before anybody asked for the future
        _fail(response.content)
        yield
        return
    lost.remove_done_callback(_look_at)  # a connection that is used again has it from the last time
    lost.add_done_callback(_look_at)
    waken = functools.partial(_fail, response.content)
    lost.add_done_callback(waken)
    try:
        yield
    finally:
        lost.remove_done_callback(waken)


def _fail(content: aiohttp.StreamReader, _: object = None) -> None:
    if not content.is_eof() and content.exception() is None:
        content.set_exception(aiohttp.ClientPayloadError("The connection ended before the body did."))


def _look_at(lost: asyncio.Future[None]) -> None:
    """Look at how a connection ended, lest asyncio complain that nobody did."""
    if not lost.cancelled():
        lost.exception()
