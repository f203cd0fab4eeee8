"""The pool of connections to providers. A connection is not reused when bytes arrived while it was idle.

aiohttp (3.14.5) checks a connection when a call gives it back, but not when the next call takes it. Bytes may arrive in
between: a second answer of a faulty server, or a load balancer's "408 Request Timeout". The next call would read these
bytes as its own answer. Its client would get another client's text.
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


class CheckedConnection(ResponseHandler):
    """A connection that fails its body's reader when the connection is lost, and that knows of unread bytes.

    aiohttp closes the connection when the framing of a body is invalid, such as a bad chunk size. aiohttp then reports
    the error to the connection's message queue, but not to the body. The body's reader would wait forever. aiohttp
    stops its own read timeout too. Source: 3.14.5, ``ResponseHandler.data_received``, whose C parser drops the body
    before it raises.
    """

    _poll: select.poll | None = None

    @property
    def is_readable(self) -> bool:
        """True when the socket holds unread bytes or the end of the connection, or is missing.

        Do not read this for a connection that is being closed, since another socket may have its file descriptor.
        """
        if self._poll is None:
            raw = self.transport.get_extra_info("socket") if self.transport is not None else None
            if raw is None or raw.fileno() < 0:
                return True
            self._poll = select.poll()
            self._poll.register(raw, select.POLLIN)
        return bool(self._poll.poll(0))

    @override
    def resume_reading(self, resume_parser: bool = True) -> None:
        """Resume reading if it was paused. aiohttp calls this for each piece of a body, and a pause is rare.

        aiohttp itself would call the parser and the transport each time.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)

    @override
    def connection_lost(self, exc: BaseException | None) -> None:
        body = self._payload
        super().connection_lost(exc)
        if body is not None and not body.is_eof() and body.exception() is None:
            body.set_exception(aiohttp.ClientPayloadError("The connection ended before the body did."))


class CheckedConnector(aiohttp.TCPConnector):
    """Gives out idle connections on which nothing has arrived.

    The overridden methods are private methods of aiohttp, which has no public methods for this purpose. The version of
    aiohttp is pinned. Tests with real sockets fail when aiohttp no longer calls these methods.
    """

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        handler: type[ResponseHandler] = CheckedConnection
        self._factory = functools.partial(handler, loop=self._loop)

    async def take_idle(self, key: ConnectionKey) -> Connection | None:
        """Return an idle connection, which then belongs to the caller. None if a new one must be opened."""
        while (connection := await super()._get(key, [])) is not None:
            protocol = connection.protocol
            if (
                isinstance(protocol, CheckedConnection)
                and not protocol.should_close
                and not protocol.is_readable
            ):
                return connection
            connection.close()
        return None

    @override
    async def _get(self, key: ConnectionKey, traces: list[Any]) -> Connection | None:
        return await self.take_idle(key)  # for `connect`, which has no traces here

    @override
    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        super()._release(key, protocol, should_close=should_close)
        if protocol.is_connected():
            # Without a parser, bytes wait as they came, and `should_close` reports them. The last answer's parser
            # would keep part of a head to itself. The next request brings its own parser.
            protocol._parser = None
