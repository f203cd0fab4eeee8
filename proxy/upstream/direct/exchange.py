"""One POST and its answer, over the pool of connections.

This is ``aiohttp.ClientSession.request`` without the parts that no call here uses. These are cookies, redirects,
proxies, traces, netrc and streamed bodies. For each request aiohttp builds the head anew, a task that writes the
body, two timers, and an object around the answer. That takes 340 Python calls (aiohttp 3.14.5, CPython 3.11), and
this code about 120. The pool, TLS, name resolution, parser and body reader are still aiohttp's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import aiohttp
from aiohttp.connector import Connection
from aiohttp.http_exceptions import HttpProcessingError

from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault, UpstreamTimeout, UpstreamUnreachable
from proxy.core.failures import Cause
from proxy.core.upstream_call import Timeouts
from proxy.upstream.direct.answer_bodies import AnswerBody
from proxy.upstream.direct.connector import CheckedConnector
from proxy.upstream.direct.content_kind import EVENT_STREAM
from proxy.upstream.direct.request_head import Destination
from proxy.upstream.faults import complete_fault
from proxy.upstream.masking import secrets_of
from proxy.upstream.timeouts import CallTimer

_LARGEST_JOINED = 64 * 2**10
"""The largest body that is joined with its head, so that one system call sends both. Larger bodies are not copied."""


class Exchange:
    """A context in which one request is sent and its answer is read.

    At its end, the context closes the connection, unless the connection was returned to the pool after a whole answer.
    An error of the connection becomes an error of :mod:`proxy.core.errors`. An :class:`UpstreamFault` in a 200 answer
    keeps the answer's status, headers and payload as evidence. Secrets in the message are masked.
    """

    __slots__ = (
        "_connection",
        "_connector",
        "_deployment",
        "_timeouts",
        "body",
        "headers",
        "payload",
        "status",
        "timer",
    )

    def __init__(
        self, connector: CheckedConnector, deployment: Deployment, timeouts: Timeouts, *, stream: bool
    ) -> None:
        self._connector = connector
        self._deployment = deployment
        self._timeouts = timeouts
        self._connection: Connection | None = None
        self.timer = CallTimer(timeouts, stream=stream)
        self.status = 0
        """The status of the answer, once its head has arrived."""

        self.headers: Mapping[str, str]
        self.body: AnswerBody
        self.payload = b""
        """The body, or the event of a stream, that is being read."""

    @property
    def is_event_stream(self) -> bool:
        """True when the content type is that of an event stream."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower() == EVENT_STREAM

    async def ask(
        self, destination: Destination, body: bytes, more_headers: Mapping[str, str] | None = None
    ) -> None:
        """Send *body*, with *more_headers*, and return when the head of the answer has arrived.

        Raises :class:`UpstreamTimeout` when that takes too long, and aiohttp's errors, which the end of the context
        translates.
        """
        self._connection = connection = await self._connector.take_idle(
            destination.key
        ) or await self._connect(destination)
        protocol = connection.protocol
        assert protocol is not None
        transport = protocol.transport
        assert transport is not None
        protocol.set_response_params(read_until_eof=True)
        head = destination.head_for(body, more_headers)
        if len(body) <= _LARGEST_JOINED:
            transport.write(head + body)
        else:
            transport.write(head)
            transport.write(body)
        del body  # it may be large, and the wait for the answer long
        self.timer.watch(protocol.set_exception)
        self.timer.expect()
        while True:
            message, content = await protocol.read()
            status = message.code
            if not 100 <= status < 200 or status == 101:  # other 1xx heads come before the answer's own
                break
        self.timer.note_bytes()
        self.timer.watch(content.set_exception)
        self.status = status
        self.headers = message.headers
        self.body = AnswerBody(content, self.timer)
        content.on_eof(self._give_back)

    async def _connect(self, destination: Destination) -> Connection:
        # `connect` limits all steps, also name resolution and TLS. `sock_connect` would limit TCP alone.
        limit = aiohttp.ClientTimeout(total=None, connect=self._timeouts.connect_s)
        try:
            return await self.timer.wait(self._connector.connect(destination.request, [], limit))
        except TimeoutError:
            words = "The provider could not be reached in time."
            raise UpstreamTimeout(words, cause=Cause.CONNECT_TIMEOUT) from None

    def _give_back(self) -> None:
        """Return the connection to the pool, unless the answer ended before the whole request was sent.

        Over TLS, this check misses bytes that wait below the TLS layer.
        """
        connection = self._connection
        if connection is None:
            return
        protocol = connection.protocol
        transport = None if protocol is None else protocol.transport
        if transport is not None and transport.get_write_buffer_size():
            self.close()
        else:
            self._connection = None
            connection.release()

    def close(self) -> None:
        """Close the connection unless it was returned to the pool. Unsent bytes are dropped."""
        connection, self._connection = self._connection, None
        if connection is not None:
            if connection.protocol is not None:
                connection.protocol.abort()
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Stop the time limits, close the connection if needed, and translate the error."""
        self.timer.stop()
        if self._connection is not None:
            self.close()
        if error is None:
            return
        if isinstance(error, UpstreamFault):
            if self.status == 200:  # errors with another status are settled where they are read
                complete_fault(error, self.status, self.headers, secrets_of(self._deployment), self.payload)
        elif isinstance(error, aiohttp.ClientConnectorError):
            raise UpstreamUnreachable("The provider could not be reached.") from error
        elif isinstance(error, (aiohttp.ClientError, HttpProcessingError, OSError)):
            words = "The connection to the provider broke."
            raise UpstreamUnreachable(words, cause=Cause.CONNECTION_LOST) from error
