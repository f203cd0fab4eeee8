"""The transport of our own: OpenAI's wire and Gemini's, spoken over one pooled aiohttp session.

Rules: one connection pool per process; TLS is checked; no redirect is followed, since it would carry the key to
another host; nothing is read without a bound in time and bytes; a call that is cancelled, or whose generator is closed,
closes its connection at once. What the bytes mean is decided in :mod:`proxy.wires`, which is pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any, Self, TypeVar

import aiohttp

from proxy import __version__
from proxy.config import Deployment
from proxy.errors import UpstreamFault, UpstreamTimeout, UpstreamUnreachable
from proxy.failures import Cause
from proxy.upstream import Answer, Chunk, PlainCall, UpstreamCall
from proxy.upstream.answer_bodies import TOO_LARGE, AnswerBody, woken_when_lost
from proxy.upstream.answer_kinds import EVENT_STREAM, is_events, without_blanks
from proxy.upstream.connector import QuietConnector
from proxy.upstream.direct_wires import (
    Reader,
    StreamWire,
    WholeWire,
    embedding_wire_of,
    text_wire,
    wire_of,
)
from proxy.upstream.faults import fault_of_answer, settle_fault
from proxy.upstream.masking import secrets_of
from proxy.upstream.patience import Patience
from proxy.wires.sse_decoder import SSEDecoder

_LARGEST_ANSWER = 64 * 2**20
"""Bytes of a whole answer: generous for images, a bound for a body that never ends."""

_LARGEST_ERROR = 256 * 2**10
"""Bytes of an error's body that are read."""

_ERROR_S = 5.0
"""Seconds that an error's body has to come: its status is known already, and must not be lost over its words."""

_AFTER_FINISH_S = 2.0
"""Seconds that a stream has for more events once each candidate has said how it ended, and nothing more is expected.

Gemini has no ``[DONE]``, and some servers of OpenAI's wire forget it: their streams end with their body, and a body
that a server or a proxy leaves open would withhold a finished answer's end until the idle limit, which then called it
broken. Usage comes in the event of the finish reason or the one behind it, so that this is far more than is needed;
every event begins it anew. Where more may come, since some servers say STOP with every event, the end waits for the
idle limit, and is the answer's all the same.
"""

_AFTER_DONE_S = 0.02
"""Seconds that a finished stream has to end its body, so that the connection can be used again."""


CallT = TypeVar("CallT", UpstreamCall, PlainCall)


class DirectUpstream:
    """Calls OpenAI-compatible servers and Gemini without a library in between."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        """Open the session; there is nothing to warm, and no connection is made before the first call."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=QuietConnector(limit=0, ttl_dns_cache=60, keepalive_timeout=60),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
                headers={"User-Agent": f"turnright/{__version__}"},
                trust_env=False,
            )

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the deployment's wire does not carry."""
        return wire_of(deployment).unsupported(deployment, parameters)

    async def complete(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        return await self._whole(call, wire_of(call.deployment))

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`."""
        return self._chunks(call, wire_of(call.deployment))

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the deployment's wire does not carry with an embedding."""
        return embedding_wire_of(deployment).unsupported(deployment, parameters)

    async def embed(self, call: PlainCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.embed`."""
        return await self._whole(call, embedding_wire_of(call.deployment))

    async def complete_text(self, call: PlainCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete_text`."""
        return await self._whole(call, text_wire())

    def stream_text(self, call: PlainCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream_text`."""
        return self._chunks(call, text_wire())

    async def _whole(self, call: CallT, wire: WholeWire[CallT]) -> Answer:
        patience = Patience(call.timeouts, stream=False)
        async with self._answer(call, wire, patience, stream=False) as (response, body):
            with _Reading(response, call.deployment) as reading:
                if await _is_stream(body, announced=False):
                    raise UpstreamFault("The provider answered with a stream where none was asked for.")
                reading.payload = await body.rest(_LARGEST_ANSWER)
                return wire.read_answer(reading.payload, call.deployment)

    async def _chunks(self, call: CallT, wire: StreamWire[CallT]) -> AsyncGenerator[Chunk, None]:
        patience = Patience(call.timeouts, stream=True)
        async with self._answer(call, wire, patience, stream=True) as (response, body):
            with _Reading(response, call.deployment) as reading:
                if not await _is_stream(body, announced=response.content_type == EVENT_STREAM):
                    reading.payload = await body.rest(_LARGEST_ANSWER)
                    for chunk in wire.as_chunks(wire.read_answer(reading.payload, call.deployment)):
                        yield chunk
                    return
                reader = wire.reader(call.deployment)
                async with aclosing(_read_events(reading, body, reader, call, patience)) as chunks:
                    async for chunk in chunks:
                        yield chunk

    @asynccontextmanager
    async def _answer(
        self, call: CallT, wire: WholeWire[CallT], patience: Patience, *, stream: bool
    ) -> AsyncIterator[tuple[aiohttp.ClientResponse, AnswerBody]]:
        """Send the request and yield the answer to it; errors of the wire and of the provider become ours."""
        assert self._session is not None, "start() comes first"
        deployment = call.deployment
        try:
            request = self._session.post(
                wire.url(call, stream=stream),
                data=wire.request(call, stream=stream),
                headers=wire.headers(deployment),
                allow_redirects=False,
                # `connect` is all of it, the name's look-up and TLS too; `sock_connect` would be TCP alone.
                timeout=aiohttp.ClientTimeout(total=None, connect=call.timeouts.connect_s),
            )
            async with await patience.wait(request) as response:
                with woken_when_lost(response), patience.watch(response.content.set_exception):
                    body = AnswerBody(response, patience)
                    if response.status != 200:
                        text = await _read_error(body)
                        raise fault_of_answer(
                            response.status,
                            response.headers,
                            wire.read_error(response.status, text),
                            secrets_of(deployment),
                            text,
                        )
                    yield response, body
        except aiohttp.ClientConnectorError as error:
            raise UpstreamUnreachable("The provider could not be reached.") from error
        except aiohttp.ConnectionTimeoutError:
            words = "The provider could not be reached in time."
            raise UpstreamTimeout(words, cause=Cause.CONNECT_TIMEOUT) from None
        except (aiohttp.ClientError, OSError) as error:
            words = "The connection to the provider broke."
            raise UpstreamUnreachable(words, cause=Cause.CONNECTION_LOST) from error


async def _is_stream(body: AnswerBody, *, announced: bool) -> bool:
    """Tell by its first bytes whether *body* is a stream of events, as *announced* or not; they are put back.

    Blank bytes are dropped, and are not the beginning of an answer: DeepSeek sends empty lines while a request waits.
    """
    begun, size, found = b"", 0, None
    while found is None and (more := await body.next()):
        size += len(more)
        if size > _LARGEST_ANSWER:
            raise UpstreamFault(TOO_LARGE)
        begun = without_blanks(begun + more)
        found = is_events(begun, announced=announced)
    body.put_back(begun)
    return announced if found is None else found


async def _read_events(
    reading: _Reading, body: AnswerBody, reader: Reader, call: UpstreamCall | PlainCall, patience: Patience
) -> AsyncGenerator[Chunk, None]:
    """Yield the chunks of a stream of events, to its end or to that of the answer."""
    loop = asyncio.get_running_loop()
    decoder, wanted = SSEDecoder(), call.choices
    end_by: float | None = None
    while True:
        received = await (body.next() if end_by is None else _trailing(body, end_by))
        payloads = decoder.feed(received) if received else decoder.close()
        for reading.payload in payloads:
            for chunk in reader.feed(reading.payload):
                patience.hear(chunk)
                yield chunk
        reading.payload = b""
        if not received:
            break
        if reader.ended:
            await _finish_body(reading.response)
            break
        if not reader.may_end(wanted):
            end_by = None
        elif payloads or end_by is None:
            end_by = loop.time() + (_AFTER_FINISH_S if reader.is_over() else call.timeouts.idle_s)
    for chunk in reader.close():
        yield chunk


async def _trailing(body: AnswerBody, end_by: float) -> bytes:
    """Return what comes behind the end of an answer until *end_by*; nothing when nothing comes, or it breaks."""
    try:
        async with asyncio.timeout_at(end_by):
            return await body.next()
    except (UpstreamTimeout, aiohttp.ClientError, OSError):  # OSError: TimeoutError is one
        return b""


async def _read_error(body: AnswerBody) -> bytes:
    """Return an error's body, or nothing of one that is too large, too slow or cut."""
    try:
        async with asyncio.timeout(_ERROR_S):
            return await body.rest(_LARGEST_ERROR)
    except (UpstreamFault, aiohttp.ClientError, OSError):
        return b""


async def _finish_body(response: aiohttp.ClientResponse) -> None:
    """Read a finished stream's last bytes, so that its connection is used again; give up at once if more comes."""
    try:
        async with asyncio.timeout(_AFTER_DONE_S):
            await response.content.readany()
    except (aiohttp.ClientError, OSError):  # the answer is complete, whatever comes of the rest
        response.close()


class _Reading:
    """A context in which an error of the provider's becomes one that a client may read, and keeps what was sent."""

    def __init__(self, response: aiohttp.ClientResponse, deployment: Deployment) -> None:
        self.response = response
        self.payload = b""
        """What is being read: the body, or one event of it."""
        self._deployment = deployment

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Settle an :class:`UpstreamFault`."""
        if isinstance(error, UpstreamFault):
            secrets = secrets_of(self._deployment)
            settle_fault(error, self.response.status, self.response.headers, secrets, self.payload)
