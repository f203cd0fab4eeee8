"""The wait for a provider's next chunk, which is the provider's time and not ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from proxy.observation import Record
from proxy.upstream import Chunk


async def next_chunk(
    chunks: AsyncGenerator[Chunk, None], record: Record, asked: float
) -> tuple[Chunk | None, float]:
    """Return the next of *chunks*, None at their end, and the moment when it came, in seconds of the loop's clock.

    The time since *asked* is added to ``record.upstream_wait``, also where the wait ends with a failure.
    """
    clock = asyncio.get_running_loop().time
    try:
        chunk = await anext(chunks, None)
    finally:
        now = clock()
        record.upstream_wait += now - asked
    return chunk, now
