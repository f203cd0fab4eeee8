"""The pool of connections to providers: none is used again that spoke while nobody asked, or waited for in vain.

aiohttp (3.14.5) looks at whether a connection may be used again when a call gives it back, and not when the next call
takes it. Bytes that come in between, a second answer of a confused server or a load balancer's "408 Request
Timeout", would be read as the next call's answer: somebody else's words for this client.
"""

from __future__ import annotations

import functools
import select
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.connector import Connection
from typing_extensions import override


class WakingHandler(ResponseHandler):
    """A connection whose reader learns that it is gone, and that can tell whether it has been spoken on.

    aiohttp closes the connection when the framing of a body breaks (a chunk's size that is none), tells the
    connection's queue of messages, and forgets to tell the body, whose reader would wait for ever; it stops its own
    read timeout as well (3.14.5, ``ResponseHandler.data_received``; its C parser lets go of the body before it raises).
    """

    _arrivals: select.poll | None = None

    @property
    def is_readable(self) -> bool:
        """Whether the socket holds what the event loop has not read yet: bytes, or the end of the connection.

        For a connection that is not being closed: its socket's number may be another's by then.
        """
        if self._arrivals is None:
            raw = self.transport.get_extra_info("socket") if self.transport is not None else None
            if raw is None or raw.fileno() < 0:
                return True
            self._arrivals = select.poll()
            self._arrivals.register(raw, select.POLLIN)
        return bool(self._arrivals.poll(0))

    @override
    def resume_reading(self, resume_parser: bool = True) -> None:
        """Go on reading. Each piece of a body that is taken asks for this, and nearly never was there a pause.

        aiohttp feeds the parser nothing, and asks the transport, in any case.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)

    @override
    def connection_lost(self, exc: BaseException | None) -> None:
        body = self._payload
        super().connection_lost(exc)
        if body is not None and not body.is_eof() and body.exception() is None:
            body.set_exception(aiohttp.ClientPayloadError("The connection ended before the body did."))


class QuietConnector(aiohttp.TCPConnector):
    """Gives out idle connections on which nothing has come.

    The methods overridden are aiohttp's own, which has no public place for this; its version is pinned, and the tests
    with real sockets fail when they are no longer called.
    """

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        handler: type[ResponseHandler] = WakingHandler
        self._factory = functools.partial(handler, loop=self._loop)

    async def take(self, key: ConnectionKey) -> Connection | None:
        """Return an idle connection, which is the caller's then; None where one has to be opened."""
        while (connection := await super()._get(key, [])) is not None:
            protocol = connection.protocol
            if isinstance(protocol, WakingHandler) and not protocol.should_close and not protocol.is_readable:
                return connection
            connection.close()
        return None

    @override
    async def _get(self, key: ConnectionKey, traces: list[Any]) -> Connection | None:
        return await self.take(key)  # for `connect`, which has no traces here

    @override
    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        super()._release(key, protocol, should_close=should_close)
        if protocol.is_connected():
            # Without a parser, bytes wait as they came, and `should_close` tells of them; the last answer's parser
            # would keep half a head to itself. The next request brings a parser of its own.
            protocol._parser = None
