"""Tells codex to wait: a 429 becomes a stream that fails with the wait in its message.

codex gives up on a 429. In a stream it waits for the time in the message of ``rate_limit_exceeded``, and sends the
request again up to five times (codex 0.169.0, run in 2026-11). Other clients repeat a 429 themselves.
"""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from proxy.core.errors import ProxyError
from proxy.core.key_errors import RateLimited
from proxy.forwarding.answer_format import ClientFormat
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import RECORD
from proxy.ingress.formats import RESPONSES
from proxy.ingress.openai_responses.errors import RATE_LIMITED, describe_failure, wait_s

_CLIENT = "originator"
_STREAM = "text/event-stream"
_LONGEST_WAIT_S = 120
"""The longest wait that codex is asked for. It shows nothing while it waits."""


def waits_in_stream(request: web.Request, error: ProxyError) -> bool:
    """Tell whether the client of *request*, which asks for a stream, learns from a stream alone how long to wait."""
    return (
        error.http_status == HTTPStatus.TOO_MANY_REQUESTS
        and request.headers.get(_CLIENT, "").startswith("codex")
        and describe_failure(error)["code"] == RATE_LIMITED
        and wait_s(error) <= _LONGEST_WAIT_S
    )


def waits_unread(request: web.Request, error: ProxyError) -> bool:
    """Tell the same of a *request* that is refused before its body is read. Its ``Accept`` asks for a stream.

    codex takes the stream while it still sends the body.
    """
    return (
        request[RECORD].route == RESPONSES
        and _STREAM in request.headers.get("Accept", "")
        and isinstance(error, RateLimited)
        and waits_in_stream(request, error)
    )


async def stream_failure(
    request: web.Request, answer_format: ClientFormat[object], error: ProxyError
) -> web.StreamResponse:
    """Answer *request* with a stream that holds *error* alone."""
    record = request[RECORD]
    record.outcome = error.outcome
    out = EventStream(request, answer_format, record)
    await out.end(out.writer.write_error(error), record.deadline)
    assert out.response is not None, "the end of a stream begins it"
    return out.response
