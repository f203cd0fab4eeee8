"""The store fails, and three replicas go on with their share of each limit.

First the store freezes and thaws in the midst of a load. Then it is killed, and other keys ask for the first time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from tests.support.store_servers import StoreServer, valkey_server

_KEY, _SMALL, _THROUGH = "usual", "small", "through"


@dataclass(frozen=True, slots=True)
class Load:
    """The load of a run, at three times the limit, and the bucket's size as a share of the limit of a minute."""

    seconds: float = 30.0
    per_minute: int = 240
    burst: str = "0.25"
    found: float = 0.9
    """The share of the limit that has to be served, so that a store that is down is no outage."""

    known_s: float = 6.0
    """Seconds in which the replicas learn of each other by the store."""

    @property
    def given(self) -> float:
        """The requests that one bucket would let in."""
        return most_granted(self.seconds, self.per_minute, Fraction(self.burst))


async def run(directory: Path, load: Load) -> list[Figure]:
    """Kill the store, offer the load, and return the figures."""
    with valkey_server() as server:
        async with billing_provider() as provider:
            keys = [client_key(name, rpm_limit=load.per_minute) for name in (_KEY, _THROUGH)]
            keys.append(client_key(_SMALL, rpm_limit=1))
            config = config_for(
                provider,
                {"url": server.url},
                keys,
                models=(OPENAI,),
                limits={"burst": float(load.burst), "on_store_down": "share"},
            )
            replicas = Replicas(directory, config)
            async with replicas:
                await asyncio.sleep(load.known_s)
                numbers = count(1)
                figures = await _freeze(replicas, provider, server, load, numbers)
                server.kill()
                figures += await _offer(replicas, provider, load, numbers)
    return [
        *figures,
        exactly("faults of the replicas", len(replicas.faults), 0, note="; ".join(replicas.faults)[:500]),
    ]


async def _freeze(
    replicas: Replicas, provider: BillingProvider, server: StoreServer, load: Load, numbers: Iterator[int]
) -> list[Figure]:
    """Offer three times the limit, while the store is frozen in the second third of the time."""

    def origins() -> Sequence[tuple[int, str]]:
        return list(enumerate(replicas.origins))

    async def freeze() -> None:
        await asyncio.sleep(load.seconds / 3)
        server.freeze()
        await asyncio.sleep(load.seconds / 3)
        server.thaw()

    async with client_session() as http:
        asks = _asks(provider, numbers, _THROUGH)
        outcomes, _ = await asyncio.gather(
            send_at_rate(http, origins, asks, load.per_minute / 20, load.seconds), freeze()
        )
    served = sum(one.served for one in outcomes)
    other = sum(one.status not in (200, 429) for one in outcomes)
    return [
        at_most("requests let in while the store freezes and thaws", served, load.given + COUNT),
        at_least("requests let in while the store freezes and thaws", served, load.found * load.given),
        exactly("answers that are neither 200 nor 429, store frozen", other, 0),
    ]


async def _offer(
    replicas: Replicas, provider: BillingProvider, load: Load, numbers: Iterator[int]
) -> list[Figure]:
    """Offer three times the limits while the store is killed."""

    def origins() -> Sequence[tuple[int, str]]:
        return list(enumerate(replicas.origins))

    async with client_session() as http:
        usual, small = await asyncio.gather(
            send_at_rate(http, origins, _asks(provider, numbers, _KEY), load.per_minute / 20, load.seconds),
            send_at_rate(http, origins, _asks(provider, numbers, _SMALL), 2, load.seconds),
        )
    served, few = (sum(one.served for one in found) for found in (usual, small))
    statuses = Counter(one.status for one in (*usual, *small))
    return [
        at_most("requests let in by all replicas", served, load.given + COUNT),
        at_least("requests let in by all replicas", served, load.found * load.given),
        at_most(
            "requests let in of a limit of one a minute",
            few,
            most_granted(load.seconds, 1, Fraction(1)) + COUNT,
        ),
        at_least("requests let in of a limit of one a minute", few, 1),
        exactly("answers that are neither 200 nor 429", statuses.total() - statuses[200] - statuses[429], 0),
    ]


def _asks(provider: BillingProvider, numbers: Iterator[int], key: str) -> Iterator[Ask]:
    for number in numbers:
        provider.plans[number] = Plan(output=5)
        yield Ask(number, key, OPENAI, prompt_words=5, most_output=5)
