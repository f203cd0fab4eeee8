"""A whole JSON answer with status 200, written in one piece: what most requests get.

For an answer of :class:`aiohttp.web.Response` the headers are copied, signals run, and head and body made, in six
coroutines: 900 bytecode instructions (aiohttp 3.14.5), where this takes 200. It leaves by :meth:`WholeAnswer.leave`
where nothing can be waited for; anywhere else it becomes aiohttp's own, which says the same bytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from aiohttp import HttpVersion11, web
from aiohttp.helpers import rfc822_formatted_time
from aiohttp.http import SERVER_SOFTWARE
from typing_extensions import override

from proxy.forwarding.json_response import CHARSET, CONTENT_TYPE, written_response

AT_ONCE = 32 * 2**10
"""Bytes that a transport with nothing to write takes without a wait: half of where asyncio's high-water mark is."""


def takes_at_once(transport: asyncio.WriteTransport | None, size: int) -> bool:
    """Tell whether *transport* takes *size* bytes without a wait."""
    return size <= AT_ONCE and transport is not None and transport.get_write_buffer_size() == 0


class WholeAnswer(web.StreamResponse):
    """An answer of *body*, which is JSON, with *headers*; nothing of it is written yet."""

    def __init__(self, body: bytes, headers: Mapping[str, str]) -> None:
        # Not aiohttp's: what it sets up is for answers that are built bit by bit.
        self._json = body
        self._further = headers
        self._left = False

    def leave(self, request: web.Request, request_id: str) -> bool:
        """Write the answer to *request*, and tell whether that was done.

        It is not where the client speaks HTTP/1.0 or asks for the end of the connection, where the transport may not
        take all at once, and where a header holds what aiohttp would refuse.
        """
        body, further, transport = self._json, self._further, request.transport
        if (
            transport is None
            or transport.is_closing()
            or not takes_at_once(transport, len(body))
            or request.version != HttpVersion11
            or not request.keep_alive
            or not "".join(further.values()).isprintable()
        ):
            return False
        head = "\r\n".join(
            (
                "HTTP/1.1 200 OK",
                *map(": ".join, further.items()),
                f"Content-Type: {CONTENT_TYPE}; charset={CHARSET}",
                f"Content-Length: {len(body)}",
                f"Date: {rfc822_formatted_time()}",
                f"Server: {SERVER_SOFTWARE}",
                f"x-request-id: {request_id}\r\n\r\n",
            )
        )
        transport.write(head.encode() + body)
        self._left = True
        return True

    def as_response(self) -> web.Response:
        """Return the same answer as aiohttp writes it."""
        return written_response(self._json, headers=self._further)

    @property
    @override
    def prepared(self) -> bool:
        return self._left

    @property
    @override
    def status(self) -> int:
        return 200

    @property
    @override
    def keep_alive(self) -> bool | None:
        return True

    @override
    async def prepare(self, request: web.BaseRequest) -> None:
        """Do nothing: aiohttp asks for it once more when the handler is done."""

    @override
    async def write_eof(self, data: bytes = b"") -> None:
        """Do nothing, as well."""
