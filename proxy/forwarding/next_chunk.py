"""The wait for a provider's next chunk, which is the provider's time and not ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from proxy.core.upstream_call import Chunk
from proxy.observability.request_record import RequestRecord

_TURN = 32
"""Chunks of one stream that are worked on before others get a turn: 2 ms on a direct wire."""


async def next_chunk(
    chunks: AsyncGenerator[Chunk, None], record: RequestRecord, asked: float, clock: Callable[[], float]
) -> tuple[Chunk | None, float]:
    """Return the next of *chunks*, None at their end, and the moment when it came, by *clock*, the loop's.

    The time since *asked* is added to ``record.upstream_wait``, also where the wait ends with a failure. A provider
    that sends thousands of chunks in one piece is never waited for, so others get their turn in between.
    """
    record.chunks += 1
    if not record.chunks % _TURN:
        await asyncio.sleep(0)
    chunk = None
    try:
        chunk = await anext(chunks)
    except StopAsyncIteration:
        pass
    finally:
        now = clock()
        record.upstream_wait += now - asked
    return chunk, now
