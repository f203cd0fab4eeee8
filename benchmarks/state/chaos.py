"""``python -m benchmarks.state.chaos``: the store fails at random, while providers fail and clients leave.

Three replicas serve two keys. The store's faults, their lengths and the pauses between them come from a seeded
generator. Now and then a replica is killed and started while the store fails. A request may only fail where the
provider failed it. At the end the store is well, and every signature is restored again.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.chaos.faults import TOO_LONG_S, Faults
from benchmarks.chaos.run import MAX_GROWTH_MIB
from benchmarks.chaos.watching import Held, total
from benchmarks.state.fault_rows import BACK_S, MAX_LINES, UP
from benchmarks.state.load import OpenLoad, p99_ms
from benchmarks.state.provider import Came, Provider, no_fault, providing
from benchmarks.state.replicas import Replica, Replicas, config_for
from benchmarks.state.rounds import switch
from benchmarks.state.store_faults import FAULTS
from proxy.emulator.faults import Fault
from tests.support.store_servers import StoreServer, valkey_server

_KEYS = ("sk-of-one", "sk-of-other")
_MODELS = ("gemini/gemini-3.6-flash", "gemini/gemini-3-pro-preview")
_LAST_ROUNDS = 60
_LEAVES, _FAILS = 0.05, 0.05
"""The shares of the clients that leave, and of the calls that the provider fails."""

_REPLACED = 0.2
"""The share of the store's faults during which a replica is killed and started."""


@dataclass
class Report:
    """The counts of a run and its violations."""

    store_faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    came: Counter[Came] = field(default_factory=Counter)
    last: Counter[Came] = field(default_factory=Counter)
    """The signatures of the rounds at the end, when the store is well."""

    lines: list[int] = field(default_factory=list)
    """The log lines about the store, of each replica."""

    p99_ms: float = 0.0
    violations: list[str] = field(default_factory=list)


class Chaos:
    """Lets the store fail and kills replicas at random, while the load goes on."""

    def __init__(self, server: StoreServer, replicas: Replicas, random: Random, report: Report) -> None:
        self._server, self._replicas, self._random, self._report = server, replicas, random, report
        self._replaced: Replica | None = None
        self.lines: Counter[Replica] = Counter()

    def origins(self) -> list[str]:
        """Return the addresses of the replicas that take requests now."""
        return [replica.origin for replica in self._replicas.all if replica is not self._replaced]

    async def strike(self, seconds: float) -> None:
        """Let the store fail again and again, for *seconds* in all."""
        loop, random = asyncio.get_running_loop(), self._random
        until = loop.time() + seconds
        while loop.time() < until:
            fault = random.choice(FAULTS)
            self._report.store_faults[fault.name] += 1
            await asyncio.to_thread(fault.begin, self._server)
            try:
                if random.random() < _REPLACED:
                    self._report.store_faults["replica replaced"] += 1
                    await self._replace(random.choice(self._replicas.all))
                await asyncio.sleep(random.uniform(0.2, 3.0))
                await asyncio.to_thread(fault.again, self._server)
            finally:
                await asyncio.to_thread(fault.end, self._server)
            await asyncio.sleep(random.uniform(0.2, 3.0))

    async def _replace(self, replica: Replica) -> None:
        self._replaced = replica
        await asyncio.sleep(TOO_LONG_S)  # until its requests have ended
        self.lines[replica] += _lines(replica)
        await asyncio.to_thread(replica.kill)
        await asyncio.to_thread(replica.restart)
        self._replaced = None


def _lines(replica: Replica) -> int:
    return sum(line["event"].startswith("store") for line in replica.lines())


async def run(directory: Path, *, seconds: float, rate: float, seed: int) -> Report:
    """Run the chaos for *seconds*, and return its report."""
    report, random = Report(), Random(seed)
    with valkey_server() as server:
        async with providing() as provider:
            replicas = Replicas(directory, _config(provider, server))
            async with replicas:
                chaos = Chaos(server, replicas, random, report)
                loads = [
                    OpenLoad(chaos.origins, rate / len(_KEYS), key=key, leave_after=lambda: _leave(random))
                    for key in _KEYS
                ]
                provider.faults.draw = _drawing(random)
                held = await _strike_under_load(chaos, loads, seconds, replicas)
                provider.faults.draw = no_fault
                _judge_load(report, provider, loads)
                await _judge_end(report, provider, replicas)
                _judge_held(report, held, replicas)
                _judge_lines(report, chaos, replicas)
    report.violations += replicas.faults
    return report


async def _strike_under_load(
    chaos: Chaos, loads: list[OpenLoad], seconds: float, replicas: Replicas
) -> dict[int, Held]:
    """Run the loads and the faults. Return the replicas' memory after half of the time, by their process ids."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for load in loads:
            group.create_task(load.run(stop))
        await chaos.strike(seconds / 2)
        held = {replica.pid: Held.by(replica.pid) for replica in replicas.all}
        await chaos.strike(seconds / 2)
        stop.set()
    return held


def _config(provider: Provider, server: StoreServer) -> dict[str, object]:
    keys = [{"name": key.removeprefix("sk-of-"), "key": key} for key in _KEYS]
    silence_s = TOO_LONG_S * 0.6
    router = {"timeout": 20, "first_byte_timeout": silence_s, "idle_timeout": silence_s}
    return config_for(
        provider,
        {"url": server.url},
        models=_MODELS,
        general_settings={"keys": keys},
        router_settings=router,
    )


def _leave(random: Random) -> float | None:
    return random.uniform(0.0, 0.05) if random.random() < _LEAVES else None


def _drawing(random: Random) -> Callable[[str], Fault]:
    faults = Faults(random, _FAILS, hidden=True)
    return lambda model: faults.for_gemini()


def _judge_load(report: Report, provider: Provider, loads: list[OpenLoad]) -> None:
    outcomes = sorted((one for load in loads for one in load.outcomes), key=lambda one: one.seconds)
    report.p99_ms = p99_ms(outcomes)
    for one in outcomes:
        if one.left:
            report.outcomes["left"] += 1
        elif not one.failure:
            report.outcomes["answered"] += 1
        elif one.mark in provider.seen.faulted:
            report.outcomes["failed by the provider"] += 1
        else:
            report.outcomes["failed"] += 1
            report.violations.append(f"{one.mark} failed: {one.failure}")
    report.came = provider.seen.first()
    if wrong := provider.seen.every()[Came.WRONG]:
        report.violations.append(f"{wrong} wrong signatures were sent")


async def _judge_end(report: Report, provider: Provider, replicas: Replicas) -> None:
    await asyncio.sleep(BACK_S)
    for place, samples in enumerate(await replicas.metrics()):
        if total(samples, UP) != 1:
            report.violations.append(f"replica {place} does not use the store at the end")
    provider.seen.clear()
    result = await switch(replicas, provider, _LAST_ROUNDS, 3, key=_KEYS[0])
    report.last = result.came
    report.violations += result.violations


def _judge_held(report: Report, half: dict[int, Held], replicas: Replicas) -> None:
    for replica in replicas.all:
        if replica.pid in half:
            grown = Held.by(replica.pid).mib - half[replica.pid].mib
            if grown > MAX_GROWTH_MIB:
                report.violations.append(f"the second half took {grown:.1f} MiB")


def _judge_lines(report: Report, chaos: Chaos, replicas: Replicas) -> None:
    faults = report.store_faults.total()
    for place, replica in enumerate(replicas.all):
        lines = chaos.lines[replica] + _lines(replica)
        report.lines.append(lines)
        if lines > MAX_LINES * 2 * (faults + 1):
            report.violations.append(f"replica {place} wrote {lines} lines about {faults} faults")


def main() -> int:
    """Print the counts, and return 1 where a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.state.chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="default: %(default)s")
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(2**31), help="default: another each time"
    )
    options = parser.parse_args()
    print(f"{options.seconds:.0f} s, {options.rate:.0f} requests a second, seed {options.seed}\n")
    with tempfile.TemporaryDirectory() as scratch:
        report = asyncio.run(
            run(Path(scratch), seconds=options.seconds, rate=options.rate, seed=options.seed)
        )
    print("| what | count |\n|---|---|")
    for name, count in (*report.outcomes.items(), *report.store_faults.items()):
        print(f"| {name} | {count} |")
    for came in Came:
        print(f"| signature: {came} | {report.came[came]} |")
        print(f"| signature at the end: {came} | {report.last[came]} |")
    print(f"| log lines about the store, of each replica | {report.lines} |")
    print(f"| milliseconds of a request, 99 % | {report.p99_ms:.0f} |")
    print(f"\n{len(report.violations)} violations")
    for violation in report.violations[:20]:
        print(f"- {violation}")
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
