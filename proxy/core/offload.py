"""Runs CPU work on large bodies in a worker thread. For medium ones it yields to the event loop between steps.

A thread that works holds the interpreter for a while, and the event loop waits as long behind each of its own calls to
the system. With Python's 5 ms, a loop that sends two small pieces every 2 ms fell 16 ms behind; with half a millisecond
it was 2, and the thread's work took as long (:func:`take_short_turns`; CPython 3.11, 2026-11-22). What holds the
interpreter in one piece is waited for whole: reading and writing JSON.
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
"""Bytes of a body above which a step takes more than the few milliseconds that others may be kept waiting. A request of
100k tokens has two thirds of it; a thread costs a tenth of a millisecond."""

LONG = 64 * 2**10
"""Bytes of a body from which on a step takes a good part of a millisecond: others have their turn behind each one."""

_UNCOUNTED = 400 * 2**10
"""Bytes of a body up to which nobody counts how dense it is: the densest takes 90 ms to parse and refuse, and a count
takes a fifth of the time that a usual body's parsing does. A request of 100k tokens has 390 KB."""

_DENSE = 64
"""Bytes of a usual body that take as long to parse and check as one object or array: half a microsecond."""

_DENSE_VALUE = 16
"""The same for a value of a list or a map, by its comma. Code in texts has one for 20 bytes, and stays below this."""

_STEPS_AT_LEAST = 100_000
_BYTES_A_STEP = 4
"""Bytes of weight for which there is a step. A history whose every round is damaged takes one for 100 bytes: 3,900 for
400 messages, which weigh 409,600 (2026-11-23). Quadratic work needs more as soon as it takes seconds."""

_TURN_S = 0.0005


def take_short_turns() -> None:
    """Let threads switch often, in the whole process: for one that serves."""
    sys.setswitchinterval(_TURN_S)


def parse_weight(body: bytes) -> int:
    """Return what it costs to parse *body*, as the bytes of a usual body: its values cost more than its text.

    Brackets and commas within texts are counted as well, which is too much and harmless.
    """
    size = len(body)
    if size <= _UNCOUNTED:
        return size
    return max(size, _DENSE * (body.count(b"{") + body.count(b"[")), _DENSE_VALUE * body.count(b","))


def steps_of(weight: int) -> int:
    """Return the steps that work of a *weight* may take in a worker thread."""
    return _STEPS_AT_LEAST + weight // _BYTES_A_STEP


async def run_offloaded(weight: int, work: Callable[[], T]) -> T:
    """Return what *work* returns, or raise what it raises; in a worker thread above a *weight* of :data:`LARGE`.

    *weight* is what the work costs, as the bytes of a usual body (:attr:`proxy.core.chat_request.ChatRequest.weight`).
    Raises :class:`proxy.core.errors.TooMuchWork` where it takes more steps than its weight allows.
    """
    if weight <= LARGE:
        done = work()
        if weight > LONG:
            await asyncio.sleep(0)
        return done
    try:
        return await THREADS.run(work, steps_of(weight))
    except WorkLimitExceeded:
        raise TooMuchWork(
            f"To prepare this request takes more than {steps_of(weight):,} steps, the limit for its size. Send fewer "
            "messages, tool calls or tools."
        ) from None


def start_offloaded(weight: int, work: Callable[[], T], then: Callable[[T], object]) -> None:
    """Call *then* with what *work* returns: now, or above a *weight* of :data:`LONG` when a thread has done it.

    Nobody waits for it. Work that takes too many steps is given up without a word.
    """
    if weight <= LONG:
        then(work())
        return

    def finish(task: asyncio.Task[T]) -> None:
        _PENDING.discard(task)
        if not task.cancelled() and not isinstance(task.exception(), WorkLimitExceeded):
            then(task.result())

    task = asyncio.get_running_loop().create_task(THREADS.run(work, steps_of(weight)))
    _PENDING.add(task)
    task.add_done_callback(finish)


_PENDING: set[asyncio.Task[Any]] = set()
"""Tasks that nobody waits for. The set keeps them from being collected."""
