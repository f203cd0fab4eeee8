"""Gauges have the values at the moment of the scrape."""

from __future__ import annotations

import asyncio

from proxy.config import resolve
from proxy.resilience.failure_table import Blame
from tests.support.proxied import MODEL, Proxied, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


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


async def test_the_used_share_of_a_spend_limit_is_the_larger_of_key_and_team(
    upstream: ScriptedUpstream,
) -> None:
    """The spend of one key is that of its team too. A key without a spend limit has no series."""
    keys = [
        {"name": "ci", "key": "sk-ci", "max_budget": 1, "team": "blue"},
        {"name": "night", "key": "sk-night", "team": "blue"},
        {"name": "alone", "key": "sk-alone", "max_budget": 0.5, "budget_duration": "1mo"},
        {"name": "free", "key": "sk-free"},
    ]
    settings = settings_of(general_settings={"keys": keys, "teams": [{"name": "blue", "max_budget": 4}]})
    async with proxied(settings, upstream) as proxy:
        limiter = proxy.server.gateway.limiter
        for key, nano in (("ci", 300_000_000), ("night", 2_900_000_000), ("free", 1)):
            limiter.count(key, nano_usd=nano, estimated_nano=0, tokens=0)
        found = {
            name: await proxy.count("budget_used_ratio", key=name)
            for name in ("ci", "night", "alone", "free")
        }

    assert found == {"ci": 0.8, "night": 0.8, "alone": 0, "free": 0}
