"""The loop that serves is asyncio's, with asyncio's clock."""

from __future__ import annotations

import asyncio
from contextlib import closing

from proxy.server.event_loop import make_loop


def test_the_clock_is_that_of_asyncio() -> None:
    """It tells what asyncio's own would tell at the moment, and timers go by it."""
    with closing(make_loop()) as loop, closing(asyncio.new_event_loop()) as usual:
        assert type(loop) is type(usual)
        assert usual.time() <= loop.time() <= usual.time()
        before = loop.time()
        loop.run_until_complete(asyncio.sleep(0.05))
        assert 0.049 < usual.time() - before < 5
