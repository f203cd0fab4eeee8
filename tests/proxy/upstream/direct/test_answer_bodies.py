"""Tests of ``AnswerBody``, which reads an answer's body in pieces, within a limit in bytes."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp.base_protocol import BaseProtocol
from typing_extensions import override

from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Timeouts
from proxy.upstream.direct.answer_bodies import AnswerBody
from proxy.upstream.timeouts import CallTimer

LIMITS = Timeouts(3600, 3600, 3600, 3600)


def body_of(*pieces: bytes, ended: bool = True) -> AnswerBody:
    """Return a body of which *pieces* have arrived."""
    loop = asyncio.get_running_loop()
    reader = aiohttp.StreamReader(BaseProtocol(loop), 2**16, loop=loop)
    for piece in pieces:
        reader.feed_data(piece)
    if ended:
        reader.feed_eof()
    return AnswerBody(reader, CallTimer(LIMITS, stream=True))


async def test_a_body_that_has_arrived_is_read_without_a_wait() -> None:
    """A body that is not complete is left as it is."""
    assert body_of(b"ab", b"c").read_arrived(3) == b"abc"

    begun = body_of(b"ab", ended=False)
    assert begun.read_arrived(3) is None
    assert await begun.next() == b"ab"


async def test_a_body_of_too_many_bytes_is_a_fault() -> None:
    """``read_arrived`` and ``read_rest`` both check the limit in bytes."""
    with pytest.raises(UpstreamFault, match="too large"):
        body_of(b"abcd").read_arrived(3)
    with pytest.raises(UpstreamFault, match="too large"):
        await body_of(b"ab", b"cd").read_rest(3)
    assert await body_of(b"ab", b"c").read_rest(3) == b"abc"


async def test_bytes_that_were_put_back_come_first() -> None:
    """A caller can inspect the first bytes and put them back."""
    body = body_of(b"abc")
    begun = await body.next()
    body.put_back(begun)

    assert await body.next() == b"abc"
    assert await body.next() == b""


class _Ready(aiohttp.StreamReader):
    """A stream of six pieces of half a MiB that never waits."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(BaseProtocol(loop), 2**16, loop=loop)
        self._left = 6

    @override
    async def readany(self) -> bytes:
        self._left -= 1
        return b"x" * 2**19 if self._left >= 0 else b""


async def test_other_tasks_run_between_many_bytes_that_are_ready() -> None:
    """A compressed body can yield many bytes without a wait. ``read_rest`` still lets other tasks run."""
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    body = AnswerBody(_Ready(), CallTimer(LIMITS, stream=True))
    async with asyncio.TaskGroup() as group:
        counting = group.create_task(count_turns())
        assert len(await body.read_rest(2**22)) == 6 * 2**19
        counting.cancel()

    assert turns == 3
