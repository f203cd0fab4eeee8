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

from proxy.errors import InternalFault, Overloaded, ProxyError, UpstreamFault, UpstreamTimeout
from proxy.failures import Cause
from proxy.keys import GATEWAY
from proxy.logs import report_fault
from proxy.normalize import ChunkNormalizer
from proxy.observation import CLIENT_DISCONNECTED, Record
from proxy.sse import DONE, encode_event
from proxy.upstream import Chunk, Timeouts

_FLUSH_S = 5.0
"""Seconds that a client has, past the deadline, to take the end of its stream."""

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
    last = DONE
    asking = True
    try:
        async with aclosing(chunks), asyncio.timeout_at(deadline):
            while True:
                asking, asked = True, loop.time()
                chunk = await anext(chunks, None)
                now = loop.time()
                record.upstream_wait += now - asked
                asking = False
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
                await response.write(encode_event(normalized))
        if response is None:
            raise UpstreamFault("The provider's stream ended without an answer.")
        if not normalizer.finished:
            raise UpstreamFault("The provider's stream broke off before the answer was complete.")
    except asyncio.CancelledError:
        if response is None or not request.app[GATEWAY].lifecycle.cutting:
            raise
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
        if asking:
            fault = Overloaded("The proxy is shutting down; the answer is incomplete.")
            last = _last_event(response, fault, record)
        else:
            _cut_off(request, record)
    except TimeoutError:
        if asking:
            late = UpstreamTimeout("The provider did not answer in time.", cause=Cause.DEADLINE)
            last = _last_event(response, late, record)
        else:  # it is the client that stopped
            _cut_off(request, record)
    except ConnectionResetError:
        record.outcome = CLIENT_DISCONNECTED
    except ProxyError as error:
        last = _last_event(response, error, record)
    except Exception as error:  # a second answer must not be written into a started one
        if response is None:
            raise
        report_fault(error, record.request_id)
        defect = InternalFault(f"Internal error; the request id is {record.request_id}.")
        last = _last_event(response, defect, record)
    assert response is not None
    if record.outcome != CLIENT_DISCONNECTED:
        await _end(request, response, last, record, max(deadline, loop.time() + _FLUSH_S))
    return response


def _last_event(response: web.StreamResponse | None, error: ProxyError, record: Record) -> bytes:
    """Raise *error* while the status can still say it, otherwise return the event that ends the stream with it."""
    if response is None:
        raise error
    record.outcome = error.code
    return encode_event(error.body())


async def _end(
    request: web.Request, response: web.StreamResponse, last: bytes, record: Record, until: float
) -> None:
    """Write the stream's last event; a client that does not take it until *until* is cut off."""
    try:
        async with asyncio.timeout_at(until):
            await response.write(last)
            await response.write_eof()
    except (ConnectionResetError, TimeoutError):
        _cut_off(request, record)


def _cut_off(request: web.Request, record: Record) -> None:
    """Let go of a client that does not read; closing politely would wait for it for ever."""
    record.outcome = CLIENT_DISCONNECTED
    if request.transport is not None:
        request.transport.abort()
