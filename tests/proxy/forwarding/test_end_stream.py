"""Tests of the ends of an event stream: its format's end, an error as the last event, or no event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf
from typing import Any, cast

import pytest

from proxy.core.errors import ProxyError, UpstreamFault
from proxy.forwarding.end_stream import finish_stream
from proxy.forwarding.event_stream import EventStream
from proxy.observability.request_record import CLIENT_DISCONNECTED, RequestRecord
from tests.support.proxied import CHAT


class Out:
    """An event stream that keeps its last event. *begun* is True where the headers were sent."""

    def __init__(self, *, begun: bool) -> None:
        self.committed = begun
        self.response: object | None = object() if begun else None
        self.writer = self
        self.last: str | None = None
        self.stopped = False

    def write_end(self) -> str:
        """Return the end of a complete answer."""
        return "end"

    def write_error(self, error: ProxyError) -> str:
        """Return the event of *error*."""
        return error.code

    async def stop_writing(self) -> bool:
        """Return True where the response was begun."""
        return self.response is not None

    def stop(self) -> None:
        """Note the stop of the timer."""
        self.stopped = True

    async def end(self, last: str, until: float) -> None:
        """Keep the *last* event."""
        self.last = last


def raising(error: Exception | None) -> Callable[[], Awaitable[None]]:
    """Return an answer function that raises *error* if one is given."""

    async def answer() -> None:
        if error is not None:
            raise error

    return answer


@pytest.mark.parametrize(
    ("error", "last", "outcome", "interrupted"),
    [
        (None, "end", "ok", ""),
        (UpstreamFault("x"), "upstream_error", "upstream_error", ""),
        (RuntimeError("x"), "internal_error", "internal_error", "internal_error"),
        (ConnectionResetError(), None, CLIENT_DISCONNECTED, ""),
    ],
    ids=repr,
)
async def test_begun_stream_ends_by_the_way_its_answer_ended(
    error: Exception | None, last: str | None, outcome: str, interrupted: str
) -> None:
    """A stream that fails has no end marker. A client that has left gets no event."""
    out, record = Out(begun=True), RequestRecord("req_1", CHAT, 0.0, deadline=1.0)
    await finish_stream(cast(EventStream, out), raising(error), 1.0, record)

    assert (out.last, record.outcome, record.interrupted) == (last, outcome, interrupted)
    assert out.stopped
    assert record.deadline == inf


@pytest.mark.parametrize("error", [UpstreamFault("x"), RuntimeError("x")], ids=repr)
async def test_failure_before_the_headers_is_raised(error: Exception) -> None:
    """An error before the headers is raised, so that the error can become the whole response."""
    out: Any = Out(begun=False)
    with pytest.raises(type(error)):
        await finish_stream(out, raising(error), 1.0, RequestRecord("req_1", CHAT, 0.0))

    assert out.last is None
