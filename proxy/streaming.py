"""One upstream stream to one client.

The first chunk is pulled before the 200 goes out, so that an upstream error keeps its status. A stream that dies
later ends with an error event and without ``[DONE]``, never with a bare clean end: most clients take that for a
complete answer, and one was seen to loop on it. A client that leaves cancels the upstream call at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from aiohttp import web

from proxy.errors import Overloaded, ProxyError, UpstreamFault, UpstreamTimeout
from proxy.keys import GATEWAY
from proxy.normalize import ChunkNormalizer
from proxy.observation import CLIENT_DISCONNECTED, Record
from proxy.sse import DONE, encode_event
from proxy.upstream import Chunk, Timeouts

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",  # nginx would hold the stream back otherwise
}


async def relay(
    request: web.Request,
    chunks: AsyncGenerator[Chunk, None],
    normalizer: ChunkNormalizer,
    record: Record,
    timeouts: Timeouts,
) -> web.StreamResponse:
    """Send *chunks* to the client as they come and return the finished response.

    Raises :class:`ProxyError` for a failure before the first chunk; later ones become the stream's last event.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeouts.total_s
    response: web.StreamResponse | None = None
    try:
        async with aclosing(chunks), asyncio.timeout(None) as limit:
            pause = timeouts.first_byte_s
            while True:
                asked = loop.time()
                limit.reschedule(min(asked + pause, deadline))
                chunk = await anext(chunks, None)
                now = loop.time()
                record.upstream_wait += now - asked
                limit.reschedule(deadline)
                if chunk is None:
                    break
                normalized = normalizer.normalize(chunk)
                if normalized is None:
                    continue
                if response is None:
                    record.first_token = now - record.started
                    response = web.StreamResponse(headers={**_HEADERS, **record.answer_headers(now)})
                    record.status = 200
                    await response.prepare(request)
                    pause = timeouts.idle_s
                await response.write(encode_event(normalized))
        if response is None:
            raise UpstreamFault("The provider's stream ended without an answer.")
        if not normalizer.finished:
            raise UpstreamFault("The provider's stream broke off before the answer was complete.")
        await response.write(DONE)
    except asyncio.CancelledError:
        if response is None or not request.app[GATEWAY].lifecycle.cutting:
            raise
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
        await _end_with_error(
            response, Overloaded("The proxy is shutting down; the answer is incomplete."), record
        )
    except TimeoutError:
        await _fail(response, UpstreamTimeout("The provider stopped answering."), record)
    except ConnectionResetError:
        record.outcome = CLIENT_DISCONNECTED
    except ProxyError as error:
        await _fail(response, error, record)
    assert response is not None
    if record.outcome != CLIENT_DISCONNECTED:
        await response.write_eof()
    return response


async def _fail(response: web.StreamResponse | None, error: ProxyError, record: Record) -> None:
    """Raise *error* while the status can still say it, otherwise end the stream with it."""
    if response is None:
        raise error
    await _end_with_error(response, error, record)


async def _end_with_error(response: web.StreamResponse, error: ProxyError, record: Record) -> None:
    record.outcome = error.code
    try:
        await response.write(encode_event(error.body()))
    except ConnectionResetError:
        record.outcome = CLIENT_DISCONNECTED
