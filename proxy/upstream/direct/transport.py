"""The direct transport: every wire of :mod:`proxy.upstream.wires.table`, over one pool of connections.

Rules:

- One connection pool for each process, with TLS certificates checked.
- No redirect is followed, since it would carry the API key to another host.
- Each read has a limit in time and bytes.
- A call that is cancelled, or whose generator is closed, closes its connection at once.

The pure modules of :mod:`proxy.upstream.wires` decide what the bytes mean.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from typing import Any, TypeVar

import aiohttp

from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault, UpstreamTimeout
from proxy.core.failures import error_weight
from proxy.core.offload import MEDIUM, run_offloaded
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from proxy.upstream.direct.answer_bodies import ERROR_S, LARGEST_ERROR, TOO_LARGE, AnswerBody
from proxy.upstream.direct.connector import CheckedConnector
from proxy.upstream.direct.content_kind import is_events, without_blanks
from proxy.upstream.direct.exchange import Exchange
from proxy.upstream.direct.request_head import Destination, destination_of
from proxy.upstream.faults import fault_of_answer
from proxy.upstream.masking import secrets_of
from proxy.upstream.whole_as_chunks import whole_as_chunks
from proxy.upstream.wires.protocol import ClientHeaders, StreamWire, WholeWire
from proxy.upstream.wires.request_headers import with_client_headers
from proxy.upstream.wires.sse_decoder import SSEDecoder
from proxy.upstream.wires.table import count_wire_for, embedding_wire_of, text_wire_of, wire_for, wire_of

_LARGEST_ANSWER = 64 * 2**20
"""The most bytes of a whole answer. Answers with images fit. A body without an end fails at this size."""

_AFTER_FINISH_S = 2.0
"""Seconds to wait for more events once every choice has a finish reason and the reader's ``is_over`` is true.

Gemini has no ``[DONE]``, and some servers with OpenAI's API forget it. A stream without ``[DONE]`` ends with its body.
Some servers or proxies leave the body open. A finished answer would then fail at the idle limit. Usage comes with the
finish reason or in the event after it, so this time is more than enough. Every event restarts this wait.

Some servers send STOP with every event, so more events may follow. The stream then ends at the idle limit, without an
error.
"""

_AFTER_DONE_S = 0.02
"""Seconds to wait for the end of a finished stream's body, so that the connection can be reused."""


_MAX_DESTINATIONS = 1024
"""The most heads of requests that are kept.

A deployment has a few heads of a few KiB each. A wildcard may have many.
"""

CallT = TypeVar("CallT", UpstreamCall, TextCall)


class DirectUpstream:
    """Calls OpenAI-compatible servers and Gemini over HTTP."""

    def __init__(self) -> None:
        self._connector: CheckedConnector | None = None
        self._destination = functools.lru_cache(maxsize=_MAX_DESTINATIONS)(_destination)

    async def start(self) -> None:
        """Create the pool. No connection is made before the first call."""
        if self._connector is None:
            self._connector = CheckedConnector(limit=0, ttl_dns_cache=60, keepalive_timeout=60)

    async def close(self) -> None:
        """Close every connection."""
        if self._connector is not None:
            await self._connector.close()
            self._connector = None

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's wire does not carry."""
        return wire_of(deployment).unsupported(deployment, parameters)

    def complete(self, call: UpstreamCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        return self._whole(call, wire_for(call))

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`."""
        return self._chunks(call, wire_for(call), whole_as_chunks)

    def count_tokens(self, call: UpstreamCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.count_tokens`."""
        return self._whole(call, count_wire_for(call))

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's wire does not carry for embeddings."""
        return embedding_wire_of(deployment).unsupported(deployment, parameters)

    def embed(self, call: TextCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.embed`."""
        return self._whole(call, embedding_wire_of(call.deployment))

    def complete_text(self, call: TextCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.complete_text`."""
        return self._whole(call, text_wire_of(call.deployment))

    def stream_text(self, call: TextCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream_text`."""
        return self._chunks(call, text_wire_of(call.deployment), _text_as_chunks)

    async def _whole(self, call: CallT, wire: WholeWire[CallT]) -> Answer:
        with self._exchange(call, stream=False) as exchange:
            await self._ask(exchange, call, wire, stream=False)
            body = exchange.body
            payload = body.read_arrived(_LARGEST_ANSWER)
            if payload is not None:
                payload = without_blanks(payload)
                is_stream = is_events(payload, announced=False)
            else:
                is_stream = await _is_stream(body, announced=False)
            if is_stream:
                raise UpstreamFault("The provider answered with a stream where none was asked for.")
            exchange.payload = await body.read_rest(_LARGEST_ANSWER) if payload is None else payload
            if len(exchange.payload) <= MEDIUM:
                return wire.read_answer(exchange.payload, call)
            read = functools.partial(wire.read_answer, exchange.payload, call)
            return await run_offloaded(len(exchange.payload), read)

    async def _chunks(
        self, call: CallT, wire: StreamWire[CallT], as_chunks: Callable[[Answer], list[Chunk]]
    ) -> AsyncGenerator[Chunk, None]:
        """Yield the chunks of an answer. *as_chunks* turns a whole answer into chunks."""
        with self._exchange(call, stream=True) as exchange:
            await self._ask(exchange, call, wire, stream=True)
            body, timer = exchange.body, exchange.timer
            if not await _is_stream(body, announced=exchange.is_event_stream):
                exchange.payload = await body.read_rest(_LARGEST_ANSWER)
                for chunk in as_chunks(wire.read_answer(exchange.payload, call)):
                    yield chunk
                return
            reader, decoder, wanted = wire.read_stream(call), SSEDecoder(), call.choices
            if call.reports is not None:
                call.reports.read = reader.usage_so_far
            end_by: float | None = None
            while True:
                received = await (body.next() if end_by is None else _trailing(body, end_by))
                payloads = decoder.feed(received) if received else decoder.close()
                for exchange.payload in payloads:
                    for chunk in reader.feed(exchange.payload):
                        if not timer.begun:
                            timer.note_chunk(chunk)
                        yield chunk
                exchange.payload = b""
                if not received:
                    break
                if reader.ended:
                    await _finish_body(exchange)
                    break
                if not reader.may_end(wanted):
                    end_by = None
                elif payloads or end_by is None:
                    after_s = _AFTER_FINISH_S if reader.is_over() else call.timeouts.idle_s
                    end_by = asyncio.get_running_loop().time() + after_s
            for chunk in reader.close():
                yield chunk

    def _exchange(self, call: UpstreamCall | TextCall, *, stream: bool) -> Exchange:
        assert self._connector is not None, "start() comes first"
        return Exchange(self._connector, call.deployment, call.timeouts, stream=stream)

    async def _ask(self, exchange: Exchange, call: CallT, wire: WholeWire[CallT], *, stream: bool) -> None:
        """Send the request. Raises the provider's error, and the errors of :meth:`Exchange.ask`.

        This coroutine keeps no reference to the written body while it waits. The written body may be as large as the
        client's.
        """
        url, given = wire.url(call, stream=stream), wire.client_headers
        by_client = () if given is None else given(call)
        destination = self._destination(url, call.deployment, wire.headers, by_client)
        traced = None if call.trace is None else call.trace.headers
        if call.weight <= MEDIUM:  # small enough for the event loop: see `run_offloaded`
            asking = exchange.ask(destination, wire.write_request(call, stream=stream), traced)
        else:
            write = functools.partial(wire.write_request, call, stream=stream)
            asking = exchange.ask(destination, await run_offloaded(call.weight, write), traced)
        await asking
        if exchange.status != 200:
            text = await _read_error(exchange.body)
            raise await run_offloaded(
                error_weight(text),
                lambda: fault_of_answer(
                    exchange.status,
                    exchange.headers,
                    wire.read_error(exchange.status, text),
                    secrets_of(call.deployment),
                    text,
                ),
            )


def _text_as_chunks(answer: Answer) -> list[Chunk]:
    return [answer]  # a whole text completion has the shape of a chunk


def _destination(
    url: str,
    deployment: Deployment,
    headers: Callable[[Deployment], Mapping[str, str]],
    by_client: ClientHeaders,
) -> Destination:
    own = headers(deployment)
    return destination_of(url, with_client_headers(own, by_client, deployment) if by_client else own)


async def _is_stream(body: AnswerBody, *, announced: bool) -> bool:
    """Tell by its first bytes whether *body* is an event stream. *announced* is true if the content type says so.

    The bytes that were read are put back. Leading blanks are dropped and do not begin an answer, since DeepSeek sends
    empty lines while a request waits.
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


async def _trailing(body: AnswerBody, end_by: float) -> bytes:
    """Return bytes that arrive after an answer until *end_by*. The result is empty if no bytes come, or on an error."""
    try:
        async with asyncio.timeout_at(end_by):
            return await body.next()
    except (UpstreamTimeout, aiohttp.ClientError, OSError):  # OSError: TimeoutError is one
        return b""


async def _read_error(body: AnswerBody) -> bytes:
    """Return an error's body, or nothing if it is too large, too slow or cut off."""
    try:
        async with asyncio.timeout(ERROR_S):
            return await body.read_rest(LARGEST_ERROR)
    except (UpstreamFault, aiohttp.ClientError, OSError):
        return b""


async def _finish_body(exchange: Exchange) -> None:
    """Read the end of a finished stream's body, so that the connection is reused.

    Close the connection if the end does not come in time.
    """
    try:
        async with asyncio.timeout(_AFTER_DONE_S):
            await exchange.body.next()
    except (
        UpstreamTimeout,
        aiohttp.ClientError,
        OSError,
    ):  # the answer is complete, so an error of the rest does not matter
        exchange.close()
