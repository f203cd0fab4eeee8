"""The event loop of a process is asyncio's, with the clock of asyncio."""

from __future__ import annotations

import asyncio
from contextlib import closing

from proxy.server.event_loop import make_loop


def test_clock_of_the_loop_is_the_clock_of_asyncio() -> None:
    """The loop's timers use the clock of asyncio."""
    with closing(make_loop()) as loop, closing(asyncio.new_event_loop()) as usual:
        assert type(loop) is type(usual)
        assert usual.time() <= loop.time() <= usual.time()
        before = loop.time()
        loop.run_until_complete(asyncio.sleep(0.05))
        assert 0.049 < usual.time() - before < 5
