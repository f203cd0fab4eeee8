"""An open loop: requests begin at a fixed rate, each at the next replica, however long the answers take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

import aiohttp

from benchmarks.limits.asking import Ask, Outcome, send

Origins = Callable[[], Sequence[tuple[int, str]]]
"""Returns the numbers and the addresses of the replicas that take requests now."""


def client_session() -> aiohttp.ClientSession:
    """Return a session without a limit of connections."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60))


async def send_at_rate(
    http: aiohttp.ClientSession,
    origins: Origins,
    asks: Iterator[Ask],
    rate: float,
    seconds: float = float("inf"),
) -> list[Outcome]:
    """Send *asks* until they or *seconds* end, *rate* a second, and return their outcomes by their starts."""
    loop = asyncio.get_running_loop()
    outcomes: list[Outcome] = []

    async def one(ask: Ask, replica: int, origin: str) -> None:
        outcomes.append(await send(http, origin, ask, replica))

    async with asyncio.TaskGroup() as group:
        began = due = loop.time()
        for place, ask in enumerate(asks):
            if (left := due - loop.time()) > 0:
                await asyncio.sleep(left)
            if loop.time() - began >= seconds:
                break
            there = origins()
            replica, origin = there[place % len(there)]
            group.create_task(one(ask, replica, origin))
            due += 1 / rate
    return sorted(outcomes, key=lambda outcome: outcome.at)


async def send_at_once(http: aiohttp.ClientSession, origins: Origins, asks: Sequence[Ask]) -> list[Outcome]:
    """Send all *asks* at once, and return their outcomes."""
    there = origins()
    work = (
        send(http, there[place % len(there)][1], ask, there[place % len(there)][0])
        for place, ask in enumerate(asks)
    )
    return list(await asyncio.gather(*work))
