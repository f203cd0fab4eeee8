"""Tests of the wait for the next chunk of a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from proxy.core.upstream_call import Chunk
from proxy.forwarding.next_chunk import next_chunk
from proxy.observability.request_record import RequestRecord


async def chunks() -> AsyncGenerator[Chunk, None]:
    """Yield chunks that are all available at once, without a wait."""
    for _ in range(320):
        yield {}


async def test_other_tasks_run_during_a_burst_of_chunks() -> None:
    """A burst of chunks from a provider does not block the event loop."""
    loop, record, turns = asyncio.get_running_loop(), RequestRecord("r", "/", 0.0), 0

    def turn() -> None:
        nonlocal turns
        turns += 1
        loop.call_soon(turn)

    loop.call_soon(turn)
    async with aclosing(chunks()) as source:
        while (await next_chunk(source, record, 0.0, loop.time))[0] is not None:
            pass

    assert turns >= 10
    assert record.chunks == 321
