"""``python -m benchmarks.learned.sharing``: what is learned survives a restart, and other processes know it soon.

Real processes learn that the provider refuses a parameter. A process with an SQLite file is ended or killed, and
started again. Of two processes with one Valkey server, the second one never had a refusal. Every trial is about another
parameter.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.gateway.machine import describe
from benchmarks.learned.conversations import MODEL
from benchmarks.learned.gateways import config_for
from benchmarks.learned.provider import Body, Provider, Reply, providing
from benchmarks.learned.target_faults import LOSSLESS
from benchmarks.state.replicas import Replica, Replicas
from benchmarks.violations import print_violations
from tests.support.builders import user
from tests.support.store_servers import valkey_server

SHARED_S = 10.0
"""Seconds after the last confirmation. From then on, every process has learned the repair."""

PARAMETERS: Mapping[str, float] = {
    "temperature": 0.5,
    "top_p": 0.5,
    "seed": 7,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
}
"""Parameters, and the values that requests have for them."""


def refuse_all(body: Body) -> Reply | None:
    """Refuse every parameter of :data:`PARAMETERS`."""
    found = next((name for name in PARAMETERS if name in body), None)
    return None if found is None else Reply(words=f"Unsupported parameter: '{found}' is not supported.")


@dataclass
class Asking:
    """Sends requests to processes, each as a conversation of its own."""

    provider: Provider
    session: aiohttp.ClientSession
    numbers: Iterator[int] = field(default_factory=itertools.count)

    async def cost(self, origin: str, parameter: str) -> int:
        """Send a request with *parameter*, which must be answered. Return the number of calls that it cost."""
        mark = f"{next(self.numbers)}.0"
        body = {"model": MODEL, "messages": [user(f"[{mark}] Go on.")], parameter: PARAMETERS[parameter]}
        async with self.session.post(f"{origin}/v1/chat/completions", json=body) as response:
            if response.status != 200:
                raise RuntimeError(f"status {response.status}: {(await response.text())[:200]}")
        return len(self.provider.sent(mark))

    async def learned(self, origin: str) -> set[str]:
        """Return the parameters whose repair is learned, as the process at *origin* lists them."""
        async with self.session.get(f"{origin}/v1/learned") as response:
            listed: list[dict[str, Any]] = (await response.json())["data"]
        return {one["feature"] for one in listed if one["learned"]}

    async def wait_until_learned(self, origin: str, parameter: str, seconds: float) -> float | None:
        """Return the seconds until the process has learned the repair of *parameter*, None after too many *seconds*."""
        began = time.monotonic()
        while (waited := time.monotonic() - began) < seconds:
            if parameter in await self.learned(origin):
                return waited
            await asyncio.sleep(0.05)
        return None

    async def teach(self, origin: str, parameter: str) -> list[int]:
        """Send as many requests as teach a repair. Return their costs."""
        return [await self.cost(origin, parameter) for _ in range(LOSSLESS)]


@dataclass
class Result:
    """The seconds that each trial took, by what was tried, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)

    def judge(self, what: str, costs: list[int], taken: float | None, later: list[int]) -> None:
        """Add a trial: the costs of the requests that teach, the seconds until it is known, and the costs after it."""
        if costs != [2] * LOSSLESS or set(later) != {1} or taken is None or taken > SHARED_S:
            self.violations.append(f"{what}: calls {costs}, known after {taken} s, then calls {later}")
        if taken is not None:
            self.seconds.setdefault(what, []).append(taken)


async def restart(
    directory: Path, asking: Asking, result: Result, *, kill: bool, parameters: Iterable[str] = PARAMETERS
) -> None:
    """Teach each of *parameters* to a process with an SQLite file, and start the process again after each.

    With *kill* the process has two seconds to write, and is then killed.
    """
    what = "killed and started again" if kill else "ended and started again"
    url = f"sqlite:///{directory / f'{kill}.db'}"
    config = config_for(asking.provider, "openai", store={"url": url})
    replica = Replica(directory, f"restarted-{kill}", config)
    try:
        await asyncio.to_thread(replica.wait_until_ready)
        for parameter in parameters:
            costs = await asking.teach(replica.origin, parameter)
            if kill:
                await asyncio.sleep(2)
                await asyncio.to_thread(replica.kill)
            else:
                replica.running.signal(signal.SIGTERM)
                await asyncio.to_thread(replica.running.wait)
            await asyncio.to_thread(replica.restart)
            taken = await asking.wait_until_learned(replica.origin, parameter, SHARED_S)
            result.judge(what, costs, taken, [await asking.cost(replica.origin, parameter) for _ in range(3)])
    finally:
        result.violations += await asyncio.to_thread(replica.stop)


async def share(directory: Path, asking: Asking, result: Result) -> None:
    """Teach each parameter to one of two processes with one Valkey server, and ask the other one."""
    with valkey_server() as server:
        config = config_for(asking.provider, "openai", store={"url": server.url})
        replicas = Replicas(directory, config, count=2)
        async with replicas:
            for number, parameter in enumerate(PARAMETERS):
                taught, other = replicas.origins[number % 2], replicas.origins[1 - number % 2]
                costs = await asking.teach(taught, parameter)
                taken = await asking.wait_until_learned(other, parameter, 2 * SHARED_S)
                result.judge("known to another process", costs, taken, [await asking.cost(other, parameter)])
        result.violations += replicas.faults


async def run(directory: Path) -> Result:
    """Run all trials, with their files in *directory*."""
    result = Result()
    async with providing(refuse_all) as provider, aiohttp.ClientSession() as session:
        asking = Asking(provider, session)
        await restart(directory, asking, result, kill=False)
        await restart(directory, asking, result, kill=True)
        await share(directory, asking, result)
    return result


def main() -> int:
    """Print a row for each kind of trial, and return 1 where a goal is missed."""
    argparse.ArgumentParser(prog="python -m benchmarks.learned.sharing", description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as directory:
        result = asyncio.run(run(Path(directory)))
    print(f"{describe()}\n\n| what | trials | longest, s |\n|---|---|---|")
    for what, seconds in result.seconds.items():
        print(f"| {what} | {len(seconds)} | {max(seconds):.1f} |")
    return 1 if print_violations(result.violations) else 0


if __name__ == "__main__":
    sys.exit(main())
