"""``python -m benchmarks.state.rounds``: every turn of a client goes to another replica than the turn before.

In each round the model makes a signed call, and the client sends its result to another replica. The provider notes
whether the real signature came back. In the second part, the replica that has just answered is killed each time.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.gateway.machine import describe
from benchmarks.state.crossing import find_crossings
from benchmarks.state.provider import Came, Provider, providing
from benchmarks.state.replicas import Replicas, config_for
from benchmarks.state.sessions import Failed, Session
from benchmarks.violations import print_violations
from tests.support.store_servers import StoreServer, valkey_server

ALLOWED = 0.001
"""The share of stand-ins that is allowed: signatures whose write was not done when the answer ended."""

_TURNS = 10
"""The number of results that a session sends."""


@dataclass
class Result:
    """The number of rounds by the signature that reached the provider, and the violations."""

    came: Counter[Came] = field(default_factory=Counter)
    late: int = 0
    """Signatures that were not in the store when their replica was killed, since the answer did not wait for them."""

    violations: list[str] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return self.came.total()


async def switch(
    replicas: Replicas, provider: Provider, rounds: int, concurrency: int, *, key: str = ""
) -> Result:
    """Let sessions send *rounds* results, each to another replica than the turn before.

    Return what reached the provider.
    """
    provider.seen.clear()
    result = Result()
    remaining = iter(range(-(-rounds // _TURNS)))

    async def client(http: aiohttp.ClientSession) -> None:
        for number in remaining:
            session = Session(stream=number % 2 == 0, key=key)
            try:
                for turn in range(min(_TURNS, rounds - number * _TURNS) + 1):
                    origin = replicas.origins[(number + turn) % len(replicas.all)]
                    await session.take_turn(http, origin)
            except Failed as failure:
                result.violations.append(f"session {session.number}, turn {session.turns}: {failure}")

    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http, asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(client(http))
    result.came = provider.seen.first()
    _judge(result, provider, rounds)
    return result


async def kill_after_each(replicas: Replicas, provider: Provider, server: StoreServer, kills: int) -> Result:
    """Kill the replica that has just answered, *kills* times, and send the result to another replica.

    A signature that is in the store of *server* after the kill has to be restored.
    """
    provider.seen.clear()
    result = Result()
    starting: dict[int, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as group:
        for number in range(kills):
            place, other = number % len(replicas.all), (number + 1) % len(replicas.all)
            for needed in (place, other):
                if needed in starting:
                    await starting.pop(needed)
            session = Session(stream=number % 2 == 0)
            stored = _stored(server)
            try:
                async with aiohttp.ClientSession() as http:
                    await session.take_turn(http, replicas.all[place].origin)
                    replicas.all[place].kill()
                    result.late += _stored(server) == stored
                    await session.take_turn(http, replicas.all[other].origin)
            except Failed as failure:
                result.violations.append(f"kill {number}: {failure}")
            starting[place] = group.create_task(asyncio.to_thread(replicas.all[place].restart))
    result.came = provider.seen.first()
    _judge(result, provider, kills)
    return result


def _stored(server: StoreServer) -> int:
    """Return the number of signatures in the store."""
    return sum(name.endswith(b":signatures") for name in server.command("KEYS", "*"))


def _judge(result: Result, provider: Provider, rounds: int) -> None:
    if result.rounds != rounds:
        result.violations.append(f"{result.rounds} rounds reached the provider, and not {rounds}")
    stand_ins = result.came[Came.STAND_IN] + result.came[Came.NONE] - result.late
    if stand_ins > rounds * ALLOWED:
        result.violations.append(f"{stand_ins} of {rounds} signatures were lost")
    if wrong := provider.seen.every()[Came.WRONG]:
        result.violations.append(f"{wrong} wrong signatures were sent")
    if refused := provider.seen.statuses[400]:
        result.violations.append(f"the provider refused {refused} requests")


async def run(directory: Path, options: argparse.Namespace) -> dict[str, Result]:
    """Run all parts, and return their results by a title."""
    results: dict[str, Result] = {}
    with valkey_server() as server:
        store: dict[str, Any] = {"url": server.url}
        async with providing() as provider:
            replicas = Replicas(directory, config_for(provider, store))
            async with replicas:
                results["switched"] = await switch(replicas, provider, options.rounds, options.concurrency)
                results["killed"] = await kill_after_each(replicas, provider, server, options.kills)
            results["switched"].violations += replicas.faults
            if (late := results["killed"].late) > (options.rounds + options.kills) * ALLOWED:
                results["killed"].violations.append(f"{late} writes were not joined in time")
    for name in ("memory", "sqlite", "redis"):
        crossings = await find_crossings(directory, name)
        results[f"two keys, {name}"] = Result(Counter(crossings.came), violations=crossings.violations)
    return results


def main() -> int:
    """Print a table of the rounds, and return 1 where a signature was lost too often or crossed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.state.rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--kills", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=6, help="default: %(default)s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        results = asyncio.run(run(Path(scratch), options))
    print(f"{describe()}\n")
    print(f"| part | rounds | {' | '.join(Came)} |\n|---|---|{'---|' * len(Came)}")
    for name, result in results.items():
        counts = " | ".join(f"{result.came[kind]:,}" for kind in Came)
        print(f"| {name} | {result.rounds:,} | {counts} |")
    print(f"\n{results['killed'].late} writes were not joined in time")
    violations = [f"{name}: {one}" for name, result in results.items() for one in result.violations]
    return 1 if print_violations(violations) else 0


if __name__ == "__main__":
    sys.exit(main())
