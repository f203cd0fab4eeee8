"""Work on a large body is done in a thread, so that other requests go on meanwhile; on a long one, step by step.

Python switches threads every 5 ms, which is what others wait for at each switch, but for what holds the interpreter in
one piece: reading and writing JSON.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_THREADS = ThreadPoolExecutor(2, thread_name_prefix="large-body")
"""Threads of their own: look-ups of names use asyncio's, and would wait behind large bodies until their limit."""

LARGE = 2**19
"""Bytes of a body above which a step takes more than the few milliseconds that others may be kept waiting. A request of
100k tokens has two thirds of it; a thread costs a tenth of a millisecond."""

LONG = 64 * 2**10
"""Bytes of a body from which on a step takes a good part of a millisecond: others have their turn behind each one."""


async def work_beside(size: int, work: Callable[[], T]) -> T:
    """Return what *work* returns, or raise what it raises.

    *size* is what the work costs, as the bytes of a usual body (:attr:`proxy.wire.ChatRequest.weight`).
    """
    if size <= LARGE:
        done = work()
        if size > LONG:
            await asyncio.sleep(0)
        return done
    return await asyncio.get_running_loop().run_in_executor(_THREADS, work)
