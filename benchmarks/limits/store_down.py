"""The store is killed, and three replicas go on with their share of each limit."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from pathlib import Path

from benchmarks.limits.asking import Ask
from benchmarks.limits.bucket import most_granted
from benchmarks.limits.configuration import client_key, config_for
from benchmarks.limits.goals import Figure, at_least, at_most, exactly
from benchmarks.limits.load import client_session, send_at_rate
from benchmarks.limits.provider import OPENAI, BillingProvider, Plan, billing_provider
from benchmarks.state.replicas import COUNT, Replicas
from tests.support.store_servers import valkey_server

KNOWN_S = 6.0
"""Seconds in which the replicas learn of each other by the store."""

_KEY, _SMALL = "usual", "small"
_FOUND = 0.9
"""The share of the limit that the replicas have to serve, so that a store that is down is no outage."""


async def run(directory: Path, *, seconds: float = 30.0, per_minute: int = 240) -> list[Figure]:
    """Kill the store, offer three times the limit for *seconds*, and return the figures."""
    with valkey_server() as server:
        async with billing_provider() as provider:
            keys = [client_key(_KEY, rpm_limit=per_minute), client_key(_SMALL, rpm_limit=1)]
            config = config_for(
                provider,
                {"url": server.url},
                keys,
                models=(OPENAI,),
                limits={"burst": 0.25, "on_store_down": "share"},
            )
            replicas = Replicas(directory, config)
            async with replicas:
                await asyncio.sleep(KNOWN_S)
                server.kill()
                figures = await _offer(replicas, provider, seconds, per_minute)
    return [
        *figures,
        exactly("faults of the replicas", len(replicas.faults), 0, note="; ".join(replicas.faults)[:500]),
    ]


async def _offer(
    replicas: Replicas, provider: BillingProvider, seconds: float, per_minute: int
) -> list[Figure]:
    numbers = count(1)

    def origins() -> Sequence[tuple[int, str]]:
        return list(enumerate(replicas.origins))

    async with client_session() as http:
        usual, small = await asyncio.gather(
            send_at_rate(http, origins, _asks(provider, numbers, _KEY), per_minute / 20, seconds),
            send_at_rate(http, origins, _asks(provider, numbers, _SMALL), 2, seconds),
        )
    given = most_granted(seconds, per_minute, Fraction(1, 4))
    served, few = (sum(one.served for one in found) for found in (usual, small))
    statuses = Counter(one.status for one in (*usual, *small))
    return [
        at_most("requests let in by all replicas", served, given + COUNT),
        at_least("requests let in by all replicas", served, _FOUND * given),
        at_most(
            "requests let in of a limit of one a minute", few, most_granted(seconds, 1, Fraction(1)) + COUNT
        ),
        at_least("requests let in of a limit of one a minute", few, 1),
        exactly("answers that are neither 200 nor 429", statuses.total() - statuses[200] - statuses[429], 0),
    ]


def _asks(provider: BillingProvider, numbers: Iterator[int], key: str) -> Iterator[Ask]:
    for number in numbers:
        provider.plans[number] = Plan(output=5)
        yield Ask(number, key, OPENAI, prompt_words=5, most_output=5)
