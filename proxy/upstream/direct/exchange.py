"""One POST and the answer to it, over the pool of connections.

This is what ``aiohttp.ClientSession.request`` does, less what no call here uses: cookies, redirects, proxies, traces,
netrc, bodies that are streamed. For each request it builds the head anew, a task that writes the body, two timers, and
an object around the answer: 340 Python calls (aiohttp 3.14.5, CPython 3.11), where this takes about 120. Pool, TLS,
look-up of names, parser and the reading of a body are aiohttp's all the same.
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
from proxy.upstream.direct.connector import QuietConnector
from proxy.upstream.direct.content_kind import EVENT_STREAM
from proxy.upstream.direct.request_head import Destination
from proxy.upstream.faults import settle_fault
from proxy.upstream.masking import secrets_of
from proxy.upstream.timeouts import CallTimer

_JOINED = 64 * 2**10
"""Bytes of a body that is copied behind its head, to leave with it in one system call; a larger one leaves as it is."""


class Exchange:
    """A context in which one request is sent and answered.

    At its end the connection is closed, unless the answer was read to its own end: then it was given back. An error of
    the connection becomes one of ours, and a fault that is found in the answer one that a client may read, with what
    was sent as evidence.
    """

    __slots__ = (
        "_connection",
        "_connector",
        "_deployment",
        "_timeouts",
        "body",
        "headers",
        "patience",
        "payload",
        "status",
    )

    def __init__(
        self, connector: QuietConnector, deployment: Deployment, timeouts: Timeouts, *, stream: bool
    ) -> None:
        self._connector = connector
        self._deployment = deployment
        self._timeouts = timeouts
        self._connection: Connection | None = None
        self.patience = CallTimer(timeouts, stream=stream)
        self.status = 0
        """The status of the answer, once its head has come."""

        self.headers: Mapping[str, str]
        self.body: AnswerBody
        self.payload = b""
        """What is being read: the body, or one event of it."""

    @property
    def is_event_stream(self) -> bool:
        """Whether the answer says that it is a stream of events."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower() == EVENT_STREAM

    async def ask(
        self, destination: Destination, body: bytes, further: Mapping[str, str] | None = None
    ) -> None:
        """Send *body*, with *further* headers, and return when the head of the answer has come.

        Raises :class:`UpstreamTimeout` when that takes too long, and the errors that the context makes ours.
        """
        self._connection = connection = await self._connector.take(destination.key) or await self._connect(
            destination
        )
        protocol = connection.protocol
        assert protocol is not None
        transport = protocol.transport
        assert transport is not None
        protocol.set_response_params(read_until_eof=True)
        head = destination.opening(body, further)
        if len(body) <= _JOINED:
            transport.write(head + body)
        else:
            transport.write(head)
            transport.write(body)
        del body  # it may be large, and the wait for the answer long
        self.patience.watch(protocol.set_exception)
        self.patience.expect()
        while True:
            message, content = await protocol.read()
            status = message.code
            if not 100 <= status < 200 or status == 101:  # others announce the answer
                break
        self.patience.heard()
        self.patience.watch(content.set_exception)
        self.status = status
        self.headers = message.headers
        self.body = AnswerBody(content, self.patience)
        content.on_eof(self._give_back)

    async def _connect(self, destination: Destination) -> Connection:
        # `connect` is all of it, the name's look-up and TLS too; `sock_connect` would be TCP alone.
        limit = aiohttp.ClientTimeout(total=None, connect=self._timeouts.connect_s)
        try:
            return await self.patience.wait(self._connector.connect(destination.request, [], limit))
        except TimeoutError:
            words = "The provider could not be reached in time."
            raise UpstreamTimeout(words, cause=Cause.CONNECT_TIMEOUT) from None

    def _give_back(self) -> None:
        """Let the next call have the connection, unless it was answered before it had taken all of the request.

        Over TLS that cannot be told: what waits below it is not counted.
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
        """Close the connection, if it was not given back. What is not sent yet is not sent any more."""
        connection, self._connection = self._connection, None
        if connection is not None:
            if connection.protocol is not None:
                connection.protocol.abort()
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """End the exchange, however it went."""
        self.patience.stop()
        if self._connection is not None:
            self.close()
        if error is None:
            return
        if isinstance(error, UpstreamFault):
            if self.status == 200:  # a refusal is settled where it is read
                settle_fault(error, self.status, self.headers, secrets_of(self._deployment), self.payload)
        elif isinstance(error, aiohttp.ClientConnectorError):
            raise UpstreamUnreachable("The provider could not be reached.") from error
        elif isinstance(error, (aiohttp.ClientError, HttpProcessingError, OSError)):
            words = "The connection to the provider broke."
            raise UpstreamUnreachable(words, cause=Cause.CONNECTION_LOST) from error
