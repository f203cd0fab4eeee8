"""Waits for a provider's next chunk, and counts the wait as the provider's time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from proxy.core.upstream_call import Chunk
from proxy.observability.request_record import RequestRecord

_TURN = 32
"""The number of chunks after which a stream yields to other tasks: 2 ms of work where litellm is not used."""


async def next_chunk(
    chunks: AsyncGenerator[Chunk, None], record: RequestRecord, asked: float, clock: Callable[[], float]
) -> tuple[Chunk | None, float]:
    """Return the next of *chunks*, or None at the end, and the time at which it came, by *clock*.

    The time since *asked* is added to ``record.upstream_wait``, even where the wait ends with an error. A provider that
    sends thousands of chunks at once never makes this task wait. The task therefore yields to the event loop once every
    :data:`_TURN` chunks.
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
