"""The event loop of a process that serves: uvloop where it is installed (the extra ``uvloop``), else asyncio's own.

uvloop takes 7 % off a small request's CPU, and nothing off a stream's (``make bench-proxy`` with and without it).
"""

from __future__ import annotations

import asyncio
import time


def make_loop() -> asyncio.AbstractEventLoop:
    """Return a new loop; asyncio's with its own clock, less a call in between: it is asked twenty times a request."""
    try:
        import uvloop
    except ImportError:
        loop = asyncio.new_event_loop()
        loop.time = time.monotonic  # type: ignore[method-assign]
        return loop

    class TimedLoop(uvloop.Loop):  # type: ignore[misc]  # an extra, of which nothing is known without it
        """uvloop with a clock that does not stand still: its own is of milliseconds, and of one for each round."""

        time = staticmethod(time.monotonic)

    other: asyncio.AbstractEventLoop = TimedLoop()
    return other


def name_loop(loop: asyncio.AbstractEventLoop) -> str:
    """Return whose *loop* is."""
    return "asyncio" if isinstance(loop, asyncio.BaseEventLoop) else "uvloop"
