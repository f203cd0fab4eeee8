"""Ends an event stream: normally, with an error as its last event, or by closing the connection.

A stream that fails ends with an error event and without its format's end marker. Most clients take a clean end without
a marker for a complete answer. One client was seen to loop on such an end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf

from aiohttp import web

from proxy.core.errors import InternalFault, ProxyError
from proxy.forwarding.end_request import find_cancel_error
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import GATEWAY
from proxy.forwarding.limits.settle_request import settle_request
from proxy.observability.logs import report_fault
from proxy.observability.request_record import CLIENT_DISCONNECTED, CUT_OFF, RequestRecord


async def finish_stream(
    out: EventStream,
    answer: Callable[[], Awaitable[None]],
    deadline: float,
    record: RequestRecord,
) -> web.StreamResponse:
    """Run *answer*, which writes its events to *out*. End the stream, and return the finished response.

    The proxy disconnects a client that takes the end neither before *deadline* nor within five seconds. An error before
    the response began is raised. A later error becomes the stream's last event.
    """
    ended_with: ProxyError | None = None
    try:
        try:
            await answer()
        finally:
            record.deadline = inf  # the end of a stream has its own time limit
            if record.admission is not None:  # before the client can send its next request
                settle_request(record, out.request[GATEWAY])
    except asyncio.CancelledError:
        ended_by = find_cancel_error(out.request, begun=True)
        if ended_by is None or not await out.stop_writing():
            out.stop()
            raise
        if out.committed:
            record.interrupted = CUT_OFF
        ended_with = ended_by
    except ConnectionResetError:
        record.outcome = CLIENT_DISCONNECTED
    except ProxyError as error:
        if not await out.stop_writing():
            raise
        ended_with = error
    except Exception as error:  # a second answer must not be written into a started one
        if not await out.stop_writing():
            raise
        report_fault(error, record.request_id)
        if out.committed:
            record.interrupted = InternalFault.code
        ended_with = InternalFault(f"Internal error; the request id is {record.request_id}.")
    out.stop()
    assert out.response is not None
    if record.outcome == CLIENT_DISCONNECTED:
        return out.response
    await _write_end(out, ended_with, deadline, record)
    return out.response


async def _write_end(
    out: EventStream, ended_with: ProxyError | None, deadline: float, record: RequestRecord
) -> None:
    if ended_with is None:
        last = out.writer.write_end()
    else:
        record.outcome = ended_with.outcome
        last = out.writer.write_error(ended_with)
    if record.admission is not None:  # the client's next request may reach another process
        await record.admission.free_place()
    await out.end(last, deadline)
