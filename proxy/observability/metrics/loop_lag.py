"""Measures how late the event loop runs: a timer compares its due time with the time it is called.

A busy event loop delays every request. No other metric distinguishes this delay from a slow provider. A timer that runs
ten times a second costs 0.02 % of a core. A delay shorter than the timer's period is seen only where it falls on a
tick.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

PERIOD_S = 0.1
"""Seconds between two ticks of the timer."""

HALF_S = 5.0
"""Seconds of a half period. The worst lag of the current and of the last half period is reported."""


class LoopLag:
    """The worst lag of the last five to ten seconds. :meth:`worst` may be called in any thread."""

    __slots__ = ("_before", "_half_ends", "_now")

    def __init__(self) -> None:
        self._before = self._now = 0.0
        self._half_ends = 0.0

    def note(self, lag: float, now: float) -> None:
        """Record that the loop was *lag* seconds late at *now*."""
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
        """Measure the running loop while the context lasts."""
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
