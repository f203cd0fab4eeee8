"""Reads the body of one answer within the call's time limits and a limit in bytes."""

from __future__ import annotations

import asyncio

import aiohttp

from proxy.core.errors import UpstreamFault
from proxy.upstream.timeouts import CallTimer

TOO_LARGE = "The provider's answer is too large."

LARGEST_ERROR = 256 * 2**10
"""Bytes of an error's body that are read. A larger body holds no useful message."""

ERROR_S = 5.0
"""Seconds to read an error's body.

The status is already known then, and is reported even if the body cannot be read.
"""

_TURN = 2**20
"""Bytes that are read before the event loop runs other tasks. A compressed body may yield many bytes without a wait."""


class AnswerBody:
    """The decoded body of an answer, read in pieces. *timer* watches the reads (:meth:`CallTimer.watch`)."""

    __slots__ = ("_content", "_held", "_in_turn", "_timer")

    def __init__(self, content: aiohttp.StreamReader, timer: CallTimer) -> None:
        self._content = content
        self._timer = timer
        self._held = b""
        self._in_turn = 0

    def read_arrived(self, largest: int) -> bytes | None:
        """Return the body if all of it arrived with the head. Returns None if more bytes will come.

        Most whole answers arrive so. Their bodies are returned without waiting and without joining pieces. Raises
        :class:`UpstreamFault` for more than *largest* bytes, and aiohttp's errors.
        """
        if not self._content.is_eof():
            return None
        taken = self._content.read_nowait()
        if len(taken) > largest:
            raise UpstreamFault(TOO_LARGE)
        return taken

    async def next(self) -> bytes:
        """Return the next bytes, or nothing at the end.

        Raises :class:`proxy.core.errors.UpstreamTimeout` when no bytes come in time, and aiohttp's errors.
        """
        if self._held:
            held, self._held = self._held, b""
            return held
        self._timer.expect()
        try:
            taken = await self._content.readany()
        finally:
            self._timer.note_bytes()
        self._in_turn += len(taken)
        if self._in_turn >= _TURN:
            self._in_turn = 0
            await asyncio.sleep(0)
        return taken

    def put_back(self, begun: bytes) -> None:
        """Make the next :meth:`next` return *begun* again."""
        self._held = begun

    async def read_rest(self, largest: int) -> bytes:
        """Return the rest of the body.

        Raises :class:`UpstreamFault` for more than *largest* bytes, and the errors of :meth:`next`.
        """
        parts: list[bytes] = []
        size = 0
        while part := await self.next():
            size += len(part)
            if size > largest:
                raise UpstreamFault(TOO_LARGE)
            self._timer.begin()
            parts.append(part)
        return b"".join(parts)
