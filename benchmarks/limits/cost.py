"""``make bench-limits``: the CPU that limits on Redis add to a request.

All keys ask the same replica, which runs on a core of its own. Their samples alternate, and so does the order within
each pair. A limited key has every kind of limit.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import aiohttp

from benchmarks.gateway import processes
from benchmarks.gateway.machine import describe
from benchmarks.limits.asking import Ask, send
from benchmarks.limits.configuration import client_key, config_for
from benchmarks.limits.goals import Figure, at_least, at_most, exactly, missed, render
from benchmarks.limits.load import client_session
from benchmarks.limits.provider import OPENAI, BillingProvider, Plan, billing_provider
from benchmarks.state.replicas import Replica, Replicas
from tests.support.store_servers import valkey_server

MOST_US = 200.0
"""The most CPU microseconds that the limits of a key may cost a request."""

LIMITED, TEAMED, FREE = "limited", "teamed", "free"
"""The keys: with limits, with limits and a team that has limits, and with none."""

_AT_ONCE = 8
_LIMITS = {
    "rpm_limit": 10_000_000,
    "tpm_limit": 1_000_000_000,
    "max_parallel_requests": 1000,
    "max_budget": 1_000_000.0,
    "budget_duration": "1mo",
}


async def run(directory: Path, *, rounds: int, requests: int) -> list[Figure]:
    """Measure *rounds* samples of each key, with *requests* requests each, and return the figures."""
    core, other = processes.cores()
    os.sched_setaffinity(0, {other})
    keys = [client_key(LIMITED, **_LIMITS), client_key(TEAMED, **_LIMITS, team="all"), client_key(FREE)]
    teams = [{"name": "all", **_LIMITS}]
    used: dict[str, list[float]] = defaultdict(list)
    with valkey_server() as server:
        async with billing_provider() as provider:
            config = config_for(
                provider, {"url": server.url}, keys, models=(OPENAI,), general={"teams": teams}
            )
            replicas = Replicas(directory, config, count=1)
            async with replicas, client_session() as http:
                (replica,) = replicas.all
                os.sched_setaffinity(replica.pid, {core})
                numbers = count(1)
                for number in range(-1, rounds):
                    for key in (LIMITED, TEAMED, FREE) if number % 2 else (FREE, TEAMED, LIMITED):
                        cpu = await _sample(http, replica, provider, key, numbers, requests)
                        if number >= 0:  # the first round warms up
                            used[key].append(cpu)
    free = statistics.median(used[FREE])
    return [
        at_least("CPU of a request without limits", free, 0, " µs"),
        *(
            at_most(f"CPU that limits add, key {key}", _extra(used, key), MOST_US, " µs")
            for key in (LIMITED, TEAMED)
        ),
        exactly("faults of the replica", len(replicas.faults), 0, note="; ".join(replicas.faults)[:500]),
    ]


def _extra(used: dict[str, list[float]], key: str) -> float:
    """Return the microseconds that the limits of *key* add, as the median of pairs."""
    return statistics.median(one - free for one, free in zip(used[key], used[FREE], strict=True))


async def _sample(
    http: aiohttp.ClientSession,
    replica: Replica,
    provider: BillingProvider,
    key: str,
    numbers: Iterator[int],
    requests: int,
) -> float:
    """Send *requests* requests of *key*, and return the CPU microseconds of the replica for each."""
    asks = []
    for number in (next(numbers) for _ in range(requests)):
        provider.plans[number] = Plan(output=20)
        asks.append(Ask(number, key, OPENAI, prompt_words=40, most_output=40))
    remaining = iter(asks)

    async def client() -> None:
        for ask in remaining:
            if not (outcome := await send(http, replica.origin, ask)).served:
                raise RuntimeError(f"{key}: {outcome.status}: {outcome.error}")

    before = processes.cpu_seconds(replica.pid)
    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(client())
    return (processes.cpu_seconds(replica.pid) - before) / requests * 1e6


def main() -> int:
    """Print the CPU per request, and return 1 where the goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits.cost", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="samples of each key (default: %(default)s)")
    parser.add_argument("--requests", type=int, default=400, help="of each sample (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = asyncio.run(run(Path(scratch), rounds=options.rounds, requests=options.requests))
    print(f"{describe()}. {options.rounds} rounds of {options.requests} requests.\n\n{render(figures)}")
    return 1 if missed(figures) else 0


if __name__ == "__main__":
    sys.exit(main())
