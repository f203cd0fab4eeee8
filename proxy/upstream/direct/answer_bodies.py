"""The bytes of one answer: read as they come, within the call's time and a bound."""

from __future__ import annotations

import asyncio

import aiohttp

from proxy.core.errors import UpstreamFault
from proxy.upstream.timeouts import CallTimer

TOO_LARGE = "The provider's answer is too large."

LARGEST_ERROR = 256 * 2**10
"""Bytes of an error's body that are read; a larger one says nothing."""

ERROR_S = 5.0
"""Seconds that an error's body has to come: its status is known already, and must not be lost over its words."""

_TURN = 2**20
"""Bytes that are taken before others have a turn: what unpacks to very much is all there at once."""


class AnswerBody:
    """The body of an answer, decoded, piece by piece; *patience* watches it (:meth:`CallTimer.watch`)."""

    __slots__ = ("_content", "_held", "_in_turn", "_patience")

    def __init__(self, content: aiohttp.StreamReader, patience: CallTimer) -> None:
        self._content = content
        self._patience = patience
        self._held = b""
        self._in_turn = 0

    def at_once(self, largest: int) -> bytes | None:
        """Return all of a body that came with its head, as most whole answers do; None where more is to come.

        Nothing is waited for then, and nothing joined. Raises :class:`UpstreamFault` when it is more than *largest*
        bytes, and aiohttp's errors.
        """
        if not self._content.is_eof():
            return None
        taken = self._content.read_nowait()
        if len(taken) > largest:
            raise UpstreamFault(TOO_LARGE)
        return taken

    async def next(self) -> bytes:
        """Return the next bytes, nothing at the end.

        Raises :class:`proxy.core.errors.UpstreamTimeout` when none come in time, and aiohttp's errors.
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
