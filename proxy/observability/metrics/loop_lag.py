"""How late the event loop is: a timer that sees how long after its time it is called.

What keeps the loop busy keeps every request waiting, and no other metric tells that from a slow provider. A timer ten
times a second costs 0.02 % of a core; a hold-up of less than its period is seen with the odds that it lies on a tick.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

PERIOD_S = 0.1
"""Seconds between two looks."""

HALF_S = 5.0
"""Seconds of half the time that the worst is kept for: what is told is the worst of this half and the one before."""


class LoopLag:
    """The worst lag of the last five to ten seconds. :meth:`worst` may be asked from any thread."""

    __slots__ = ("_before", "_half_ends", "_now")

    def __init__(self) -> None:
        self._before = self._now = 0.0
        self._half_ends = 0.0

    def note(self, lag: float, now: float) -> None:
        """Note that the loop was *lag* seconds late at *now*."""
        if now >= self._half_ends:
            late = now >= self._half_ends + HALF_S
            self._before = 0.0 if late else self._now
            self._now = 0.0
            self._half_ends = now + HALF_S
        self._now = max(self._now, lag)

    def worst(self) -> float:
        """Return the worst lag in seconds."""
        return max(self._before, self._now)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the running loop."""
        loop = asyncio.get_running_loop()
        clock, call_at, note = loop.time, loop.call_at, self.note
        due = clock() + PERIOD_S
        timer: asyncio.TimerHandle

        def tick() -> None:
            nonlocal due, timer
            now = clock()
            note(now - due, now)
            due = now + PERIOD_S
            timer = call_at(due, tick)

        timer = call_at(due, tick)
        try:
            yield
        finally:
            timer.cancel()
