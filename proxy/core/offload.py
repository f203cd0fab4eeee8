"""Runs CPU work on large bodies in a worker thread. After work on a medium body, it lets the event loop run.

A thread at work keeps the interpreter lock for one switch interval. After each system call of its own, the event loop
may wait that long for the lock. With Python's default of 5 ms, a loop that sends two small pieces every 2 ms fell 16 ms
behind. With 0.5 ms it fell 2 ms behind, and the thread's work took as long as before (:func:`shorten_switch_interval`;
CPython 3.11, 2026-11-22).

Reading and writing JSON does not release the lock, so the loop waits for the whole call.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from proxy.core.errors import TooMuchWork
from proxy.core.worker_threads import THREADS
from sanitizers.work_limit import WorkLimitExceeded

T = TypeVar("T")

LARGE = 2**19
"""A worker thread works on bodies above this many bytes. Parsing one, for example, takes several milliseconds.

A request of 100k tokens has about three quarters of this many bytes. Using a thread costs 0.1 ms.
"""

MEDIUM = 64 * 2**10
"""Bodies above this many bytes take a good part of a millisecond for one step. The event loop runs after each step."""

_NEVER_DENSE = 400 * 2**10
"""The density of bodies up to this many bytes is not measured. A request of 100k tokens has 390 KB.

The densest such body takes 90 ms to parse and refuse. Measuring takes a fifth of the parsing time of a usual body.
"""

_CONTAINER_COST = 64
"""Bytes of a usual body that take as long to parse and check as one object or array: half a microsecond."""

_VALUE_COST = 16
"""Bytes of a usual body that take as long as one value of a list or a map.

Values are counted by their commas. Code in texts has one comma for 20 bytes, and so does not count as dense.
"""

_MIN_STEPS = 100_000
_BYTES_PER_STEP = 4
"""Bytes of weight for each step that is allowed beyond :data:`_MIN_STEPS`.

A history with damage in every round of tool calls takes about one step for 100 bytes. A history of 400 messages weighs
409,600 and takes 3,900 steps (2026-11-23). Quadratic work exceeds the limit once it takes seconds.
"""

_SWITCH_INTERVAL_S = 0.0005


def shorten_switch_interval() -> None:
    """Shorten the interpreter's switch interval for the whole process. Meant for a process that serves."""
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


def parse_weight(body: bytes) -> int:
    """Return the cost of parsing *body*, as a number of bytes of a usual body. Values cost more than text.

    Brackets and commas within texts count as well. That makes the result too high, which does no harm.
    """
    size = len(body)
    if size <= _NEVER_DENSE:
        return size
    return max(size, _CONTAINER_COST * (body.count(b"{") + body.count(b"[")), _VALUE_COST * body.count(b","))


def steps_of(weight: int) -> int:
    """Return the number of steps that work of this *weight* may take in a worker thread."""
    return _MIN_STEPS + weight // _BYTES_PER_STEP


async def run_offloaded(weight: int, work: Callable[[], T]) -> T:
    """Return the result of *work*, or raise its error. Above a *weight* of :data:`LARGE` a worker thread runs it.

    *weight* is the cost of the work, as a number of bytes of a usual body
    (:attr:`proxy.core.chat_request.ChatRequest.weight`). Raises :class:`proxy.core.errors.TooMuchWork` if the work
    takes more steps than its weight allows.
    """
    if weight <= LARGE:
        done = work()
        if weight > MEDIUM:
            await asyncio.sleep(0)
        return done
    try:
        return await THREADS.run(work, steps_of(weight))
    except WorkLimitExceeded:
        raise TooMuchWork(
            f"Preparing this request takes more than {steps_of(weight):,} steps, the limit for its size. Send fewer "
            "messages, tool calls or tools."
        ) from None


def start_offloaded(weight: int, work: Callable[[], T], on_done: Callable[[T], object]) -> None:
    """Call *on_done* with the result of *work*. Above a *weight* of :data:`MEDIUM` a worker thread runs the work first.

    The caller does not wait. Work that takes too many steps is dropped silently.
    """
    if weight <= MEDIUM:
        on_done(work())
        return

    def finish(task: asyncio.Task[T]) -> None:
        _PENDING.discard(task)
        if not task.cancelled() and not isinstance(task.exception(), WorkLimitExceeded):
            on_done(task.result())

    task = asyncio.get_running_loop().create_task(THREADS.run(work, steps_of(weight)))
    _PENDING.add(task)
    task.add_done_callback(finish)


_PENDING: set[asyncio.Task[Any]] = set()
"""Tasks that nobody awaits. The set protects them from garbage collection."""
