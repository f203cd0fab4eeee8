"""Work on a large body is done in a thread, so that other requests go on meanwhile; on a long one, step by step.

A thread that works holds the interpreter for a while, and the loop waits as long behind each of its own calls to the
system. With Python's 5 ms, a loop that sends two small pieces every 2 ms fell 16 ms behind; with half a millisecond it
was 2, and the thread's work took as long (:func:`take_short_turns`; CPython 3.11, 2026-11-22). What holds the
interpreter in one piece is waited for whole: reading and writing JSON.
"""

from __future__ import annotations

import asyncio
import sys
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


_TURN_S = 0.0005


def take_short_turns() -> None:
    """Let threads switch often, in the whole process: for one that serves."""
    sys.setswitchinterval(_TURN_S)


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


def go_beside(size: int, work: Callable[[], T], then: Callable[[T], object]) -> None:
    """Call *then* with what *work* returns: now, or for a long body when a thread has done it, and nobody waits."""
    if size <= LONG:
        then(work())
        return
    done = asyncio.get_running_loop().run_in_executor(_THREADS, work)
    done.add_done_callback(lambda future: then(future.result()))
