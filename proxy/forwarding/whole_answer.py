"""The whole answer of a chat, text completion or embedding as JSON, with status 200, written in one piece.

:class:`aiohttp.web.Response` copies headers, runs signals, and makes head and body in six coroutines. That takes 900
bytecode instructions (aiohttp 3.14.5), and this class takes 200. :meth:`WholeAnswer.write_at_once` writes the answer
where the transport takes it without a wait. Otherwise the answer becomes an aiohttp response with the same content.
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
"""Bytes that an idle transport takes without a wait: half of asyncio's high-water mark."""


def takes_at_once(transport: asyncio.WriteTransport | None, size: int) -> bool:
    """Return True where *transport* takes *size* bytes without a wait."""
    return size <= AT_ONCE and transport is not None and transport.get_write_buffer_size() == 0


class WholeAnswer(web.StreamResponse):
    """An answer with *body*, which is JSON, and *headers*. The answer is not yet written."""

    prepared = False
    status = 200
    keep_alive = True

    def __init__(self, body: bytes, headers: Mapping[str, str]) -> None:
        # aiohttp's own `__init__` is not called: it prepares for responses that are built step by step.
        self._json = body
        self._extra_headers = headers

    def write_at_once(self, request: web.Request, request_id: str) -> bool:
        """Write the answer to *request*, and return True where that was done.

        Returns False for a client that speaks HTTP/1.0 or asks to close the connection. Returns False also where the
        transport may not take all bytes at once, or a header holds an unprintable character.
        """
        body, extra_headers, transport = self._json, self._extra_headers, request.transport
        if (
            transport is None
            or transport.is_closing()
            or not takes_at_once(transport, len(body))
            or request.version != HttpVersion11
            or not request.keep_alive
            or not "".join(extra_headers.values()).isprintable()
        ):
            return False
        head = "\r\n".join(
            (
                "HTTP/1.1 200 OK",
                *map(": ".join, extra_headers.items()),
                f"Content-Type: {CONTENT_TYPE}; charset={CHARSET}",
                f"Content-Length: {len(body)}",
                f"Date: {rfc822_formatted_time()}",
                f"Server: {SERVER_SOFTWARE}",
                f"x-request-id: {request_id}\r\n\r\n",
            )
        )
        transport.write(head.encode() + body)
        self.prepared = True
        return True

    def as_response(self) -> web.Response:
        """Return the same answer as an aiohttp response."""
        return written_response(self._json, headers=self._extra_headers)

    @override
    async def prepare(self, request: web.BaseRequest) -> None:
        """Do nothing: aiohttp calls this after the handler, when the answer is already written."""

    @override
    async def write_eof(self, data: bytes = b"") -> None:
        """Do nothing: the answer is already written when aiohttp calls this method."""
