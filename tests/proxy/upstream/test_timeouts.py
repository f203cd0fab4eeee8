"""Tests of the time limits of one call, and of the cause of each timeout."""

from __future__ import annotations

import asyncio
from math import inf

import pytest

from proxy.core.errors import UpstreamTimeout
from proxy.core.failures import Cause
from proxy.core.upstream_call import Chunk, Timeouts
from proxy.upstream.timeouts import CallTimer

LONG = 3600.0
"""Seconds that no test waits for."""


@pytest.mark.parametrize(
    ("timeouts", "stream", "begun", "cause"),
    [
        (Timeouts(LONG, 0, LONG, LONG), True, False, Cause.FIRST_BYTE_TIMEOUT),
        (Timeouts(LONG, LONG, 0, LONG), True, True, Cause.IDLE_TIMEOUT),
        (Timeouts(LONG, LONG, 0, LONG), False, True, Cause.IDLE_TIMEOUT),
        (Timeouts(LONG, LONG, LONG, 0), True, False, Cause.DEADLINE),
        (Timeouts(LONG, 0, LONG, 0), True, False, Cause.DEADLINE),
        (Timeouts(LONG, 0, LONG, 0), False, False, Cause.DEADLINE),
    ],
)
async def test_the_limit_that_is_reached_is_the_cause(
    timeouts: Timeouts, stream: bool, begun: bool, cause: Cause
) -> None:
    """A whole answer has no limit for its first byte. The deadline counts before the other limits."""
    timer = CallTimer(timeouts, stream=stream)
    if begun:
        timer.begin()
    waiting = asyncio.get_running_loop().create_future()

    with pytest.raises(UpstreamTimeout) as caught:
        await timer.wait(waiting)
    assert caught.value.cause is cause
    assert waiting.cancelled()


async def test_a_timeout_of_the_awaitable_itself_is_not_the_call_s() -> None:
    """A ``TimeoutError`` of the awaited code is passed on. Only the call's own limits raise ``UpstreamTimeout``."""

    async def fails() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError) as caught:
        await CallTimer(Timeouts(LONG, LONG, LONG, LONG), stream=True).wait(fails())
    assert not isinstance(caught.value, UpstreamTimeout)


@pytest.mark.parametrize(
    ("choice", "begun"),
    [
        ({"delta": {"role": "assistant"}}, False),
        ({"delta": {"role": "assistant", "content": ""}}, False),
        ({"delta": None}, False),
        ({"delta": {"content": "a"}}, True),
        ({"delta": {"reasoning_content": "hm"}}, True),
        ({"delta": {"tool_calls": [{"index": 0}]}}, True),
        ({"delta": {}, "finish_reason": "stop"}, True),
        ({"text": "a"}, True),
    ],
)
async def test_a_role_alone_does_not_begin_the_answer(choice: Chunk, begun: bool) -> None:
    """Some servers send the role at once and then think, so a role does not begin the answer."""
    timer = CallTimer(Timeouts(LONG, LONG, LONG, LONG), stream=True)
    timer.note_chunk({"choices": [choice]})

    assert timer.begun is begun


async def test_a_stream_whose_time_is_over_fails_even_if_bytes_are_ready() -> None:
    """A reader with ready bytes never waits, so the timer's watch would not end the stream."""
    with pytest.raises(UpstreamTimeout) as caught:
        CallTimer(Timeouts(LONG, LONG, LONG, 0), stream=True).expect()
    assert caught.value.cause is Cause.DEADLINE


async def test_the_watch_fails_a_read_that_is_late() -> None:
    """The watch reports a late read once, with the cause of the timeout."""
    timer = CallTimer(Timeouts(LONG, 0, LONG, LONG), stream=True)
    failed: asyncio.Future[UpstreamTimeout] = asyncio.get_running_loop().create_future()
    timer.watch(failed.set_result)
    timer.expect()
    error = await failed

    assert error.cause is Cause.FIRST_BYTE_TIMEOUT
    assert timer.until == inf
    timer.stop()


@pytest.mark.parametrize(("stream", "is_late"), [(True, True), (False, False)])
async def test_only_a_stream_has_a_limit_for_its_first_byte(stream: bool, is_late: bool) -> None:
    """The first byte of a whole answer comes only when the model has written all of the answer."""
    timer = CallTimer(Timeouts(LONG, 0, LONG, LONG), stream=stream)
    timer.expect()

    assert (timer.until <= asyncio.get_running_loop().time()) is is_late
    timer.note_bytes()


async def test_no_read_is_late_once_its_bytes_have_come() -> None:
    """The limits count silence, so no limit runs once the bytes have arrived."""
    timer = CallTimer(Timeouts(LONG, LONG, LONG, LONG), stream=True)
    timer.expect()
    assert timer.until < inf
    timer.note_bytes()
    assert timer.until == inf
