"""A context manager for requests whose upstream calls never end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from tests.support.proxied import Proxied
from tests.support.scripted_upstream import HANG, ScriptedUpstream


@asynccontextmanager
async def hanging(
    proxy: Proxied, upstream: ScriptedUpstream, *requests: Coroutine[Any, Any, Any]
) -> AsyncIterator[None]:
    """Send *requests*, whose upstream calls do not end.

    Cancel the requests at the end, and wait until the proxy has ended them.
    """
    calls, in_flight = len(upstream.calls), proxy.server.gateway.lifecycle.in_flight
    before = len(in_flight)
    for _ in requests:
        upstream.then(HANG)
    tasks = [asyncio.ensure_future(request) for request in requests]
    await upstream.called(calls + len(requests))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(30):
            while len(in_flight) > before:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.001)
