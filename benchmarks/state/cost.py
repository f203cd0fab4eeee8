"""``make bench-state``: the CPU of a request with a shared store, beside the same request with the store in memory.

Two replicas differ in the store alone. They run on one core, and everything else on another. Their samples alternate,
and so does the order within each pair. In a request that needs the shared store, a third replica served the turn
before. So the measured replica has to look up the signature, and it stores that of its own answer. With the store in
memory, the measured replica serves both turns.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.gateway import processes
from benchmarks.gateway.machine import describe
from benchmarks.gateway.tables import render
from benchmarks.state.provider import Came, Provider, providing
from benchmarks.state.replicas import DEPLOYMENT, Replica, Replicas, config_for
from benchmarks.state.sessions import MODEL, Failed, Session
from benchmarks.state.store_faults import commands_served
from tests.support.store_servers import StoreServer, valkey_server

MOST_US = 200.0
"""The most CPU microseconds that a look-up in the shared store may cost."""

MOST_BOTH_US = 300.0
"""The most CPU microseconds that a look-up and a write of a new signature may cost together."""

MOST_COMMANDS = 0.02
"""The most commands at the store for a request that needs nothing from it.

Above zero, since the number of background polls varies.
"""

NOISE = 0.03
"""The share by which the CPU of equal requests may differ between two processes."""

LOOKED_UP, SIGNED, PLAIN = "one look-up", "one look-up and one write", "needs nothing"
MEMORY, SHARED = "store in memory", "shared store"
_UNSIGNED = "gemini/gemini-2.5-pro"
_AT_ONCE = 8
_FOUND = 0.9
"""The share of the signatures that a measured replica has to find. On a busy machine some are not written in time."""

_PATH = "/v1/chat/completions"


@dataclass
class Figures:
    """The CPU microseconds of a request, by the kind of request and the store, one for each round."""

    cpu: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    commands: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Commands that reached the store for one request, without those of an idle time of the same length."""

    violations: list[str] = field(default_factory=list)

    def extra(self, kind: str) -> float:
        """Return the microseconds that the shared store adds, as the median of pairs."""
        pairs = zip(self.cpu[kind][SHARED], self.cpu[kind][MEMORY], strict=True)
        return statistics.median(shared - memory for shared, memory in pairs)


class Bench:
    """The running parts.

    The replicas in ``signers`` serve the turns before, whose signatures the measured replicas have to find.
    """

    def __init__(self, provider: Provider, server: StoreServer, http: aiohttp.ClientSession) -> None:
        self._provider, self._server, self._http = provider, server, http
        self.measured: dict[str, Replica] = {}
        self.signers: dict[str, Replica] = {}

    async def sample(self, kind: str, store: str, requests: int) -> tuple[float, float]:
        """Send *requests* of one kind, and return the CPU microseconds and the store's commands for each."""
        replica = self.measured[store]
        sessions = [Session(stream=False) for _ in range(requests)]
        if kind == PLAIN:
            work = [self._ask_plainly(replica.origin, number) for number in range(requests)]
        else:
            signer = self.signers[store]
            await self._all(session.take_turn(self._http, signer.origin) for session in sessions)
            if kind == SIGNED:
                work = [session.take_turn(self._http, replica.origin) for session in sessions]
            else:
                work = [
                    self._ask(replica.origin, {**session.body(), "tool_choice": "none"})
                    for session in sessions
                ]
        loop = asyncio.get_running_loop()
        self._provider.seen.clear()
        commands, used, began = self._commands(), processes.cpu_seconds(replica.pid), loop.time()
        await self._all(iter(work))
        used = processes.cpu_seconds(replica.pid) - used
        seconds, commands = loop.time() - began, self._commands() - commands
        if kind != PLAIN and self._provider.seen.first()[Came.REAL] < requests * _FOUND:
            raise Failed(f"{store}: {self._provider.seen.first()}")
        idle = self._commands()
        await asyncio.sleep(seconds)
        idle = self._commands() - idle
        return used / requests * 1e6, (commands - idle) / requests

    async def _all(self, work: Iterator[object]) -> None:
        async def client() -> None:
            for one in work:
                await one  # type: ignore[misc]

        async with asyncio.TaskGroup() as group:
            for _ in range(_AT_ONCE):
                group.create_task(client())

    async def _ask_plainly(self, origin: str, number: int) -> None:
        messages = [{"role": "user", "content": f"Say something, {number}."}]
        await self._ask(origin, {"model": f"{MODEL}-plain", "messages": messages})

    async def _ask(self, origin: str, body: dict[str, Any]) -> None:
        async with self._http.post(f"{origin}{_PATH}", json=body) as response:
            if response.status != 200:
                raise Failed(await response.text())
            await response.read()

    def _commands(self) -> int:
        return commands_served(self._server)


async def run(directory: Path, *, rounds: int, requests: int) -> Figures:
    """Measure *rounds* pairs of samples of each kind."""
    figures = Figures()
    core, other = processes.cores()
    os.sched_setaffinity(0, {other})
    with valkey_server() as server:
        async with AsyncExitStack() as stack:
            provider = await stack.enter_async_context(providing())
            connector = aiohttp.TCPConnector(limit=0)
            http = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
            bench = Bench(provider, server, http)
            for name, url, count in ((MEMORY, "memory://", 1), (SHARED, server.url, 2)):
                replicas = Replicas(directory, _config(provider, url), count=count)
                await stack.enter_async_context(replicas)
                bench.measured[name], bench.signers[name] = replicas.all[0], replicas.all[-1]
                os.sched_setaffinity(replicas.all[0].pid, {core})
            for number in range(-1, rounds):
                for kind in (LOOKED_UP, SIGNED, PLAIN):
                    for name in (MEMORY, SHARED) if number % 2 else (SHARED, MEMORY):
                        cpu, commands = await bench.sample(kind, name, requests)
                        if number >= 0:  # the first round warms up
                            figures.cpu[kind][name].append(cpu)
                        if name == SHARED:
                            figures.commands[kind].append(commands)
    _judge(figures)
    return figures


def _config(provider: Provider, url: str) -> dict[str, object]:
    config = config_for(provider, {"url": url}, models=(DEPLOYMENT,))
    unsigned = {
        "model_name": f"{MODEL}-plain",
        "litellm_params": {**config["model_list"][0]["litellm_params"], "model": _UNSIGNED},
    }
    config["model_list"].append(unsigned)
    return config


def _judge(figures: Figures) -> None:
    for kind, most in ((LOOKED_UP, MOST_US), (SIGNED, MOST_BOTH_US)):
        if (extra := figures.extra(kind)) > most:
            figures.violations.append(f"{kind}: {extra:.0f} µs more")
    if (extra := figures.extra(PLAIN)) > NOISE * min(figures.cpu[PLAIN][MEMORY]):
        figures.violations.append(f"{PLAIN}: {extra:.0f} µs more")
    if (commands := statistics.mean(figures.commands[PLAIN])) > MOST_COMMANDS:
        figures.violations.append(f"{PLAIN}: {commands:.2f} commands for each request")


def main() -> int:
    """Print the CPU per request and the calls per request, and return 1 where a goal was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10, help="pairs of samples (default: %(default)s)")
    parser.add_argument("--requests", type=int, default=400, help="of each sample (default: %(default)s)")
    parser.add_argument("--no-calls", action="store_true", help="leave out the calls per request")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = asyncio.run(run(Path(scratch), rounds=options.rounds, requests=options.requests))
    print(f"{describe()}. {options.rounds} pairs of {options.requests} requests.\n")
    rows = {
        kind: {
            f"{name}, {what}": choose(values)
            for name, values in stores.items()
            for what, choose in (("least", min), ("median", statistics.median))
        }
        | {"more, median of pairs": figures.extra(kind), "commands": statistics.mean(figures.commands[kind])}
        for kind, stores in figures.cpu.items()
    }
    columns = [f"{name}, {what}" for name in (MEMORY, SHARED) for what in ("least", "median")]
    print("CPU in µs per request, and commands at the store per request:\n")
    print(render(rows, [*columns, "more, median of pairs", "commands"], {"commands": 2}))
    if not options.no_calls:
        print("\nCalls of functions per request, with the store in memory:\n", flush=True)
        subprocess.run([sys.executable, "-m", "benchmarks.gateway.calls"], check=True)
    print(f"\n{len(figures.violations)} violations")
    for violation in figures.violations:
        print(f"- {violation}")
    return 1 if figures.violations else 0


if __name__ == "__main__":
    sys.exit(main())
