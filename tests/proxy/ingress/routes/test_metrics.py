"""Gauges have the values at the moment of the scrape."""

from __future__ import annotations

import asyncio

from proxy.config import resolve
from proxy.resilience.failure_table import Blame
from tests.support.proxied import MODEL, Proxied


async def test_gauges_are_read_at_the_scrape(proxy: Proxied) -> None:
    """Gauges show a state that changed between two scrapes without a request."""
    gateway = proxy.server.gateway
    names = ("ready", "connections", "in_flight", "in_flight_bytes", "circuit_state")
    before = [await proxy.count(name) for name in names]

    now = asyncio.get_running_loop().time()
    with gateway.balancer.acquire(resolve(gateway.settings, MODEL)[0], now) as attempt:
        attempt.failed(Blame.LONG_COOLDOWN, None, now)
    gateway.memory.admit("client", now, 1_000)
    gateway.connections.open(asyncio.Protocol(), "client", now)
    gateway.lifecycle.ready = False
    after = [await proxy.count(name) for name in names]
    gateway.lifecycle.ready = True

    assert before == [1, 1, 0, 0, 0]
    assert after == [0, 2, 0, 1_000, 2]
