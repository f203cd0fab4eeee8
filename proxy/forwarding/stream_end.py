"""How an event stream ends: whole, with an error as its last event, or cut off.

A stream that dies ends with an error event and without ``[DONE]``, never with a bare clean end: most clients take that
for a complete answer, and one was seen to loop on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf

from aiohttp import web

from proxy.core.errors import InternalFault, ProxyError
from proxy.core.sse import DONE, encode_event
from proxy.forwarding.end_request import why_ended
from proxy.forwarding.event_stream import EventStream
from proxy.observability.logs import report_fault
from proxy.observability.request_record import CLIENT_DISCONNECTED, CUT_OFF, Record


async def finish_stream(
    request: web.Request,
    out: EventStream,
    answer: Callable[[], Awaitable[None]],
    deadline: float,
    record: Record,
) -> web.StreamResponse:
    """Let *answer* write its events to *out*, end the stream as that ends, and return the finished response.

    A client that does not take the end until the *deadline* is cut off. Raises :class:`ProxyError` for a failure before
    the response began; later ones become the stream's last event.
    """
    last = DONE
    try:
        try:
            await answer()
        finally:
            record.deadline = inf  # the end of a stream has a limit of its own
    except asyncio.CancelledError:
        ended_by = why_ended(request, begun=True)
        if ended_by is None or not await out.settle():
            out.stop()
            raise
        if out.committed:
            record.interrupted = CUT_OFF
        last = _last_event(ended_by, record)
    except ConnectionResetError:
        record.outcome = CLIENT_DISCONNECTED
    except ProxyError as error:
        if not await out.settle():
            raise
        last = _last_event(error, record)
    except Exception as error:  # a second answer must not be written into a started one
        if not await out.settle():
            raise
        report_fault(error, record.request_id)
        if out.committed:
            record.interrupted = InternalFault.code
        last = _last_event(InternalFault(f"Internal error; the request id is {record.request_id}."), record)
    out.stop()
    assert out.response is not None
    if record.outcome != CLIENT_DISCONNECTED:
        await out.end(last, deadline)
    return out.response


def _last_event(error: ProxyError, record: Record) -> bytes:
    """Return the event that ends the stream with *error*, which is told to nobody where the client was cut off."""
    if record.outcome != CLIENT_DISCONNECTED:
        record.outcome = error.code
    return encode_event(error.body())
