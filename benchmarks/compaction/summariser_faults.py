"""``python -m benchmarks.compaction.summariser_faults``: a failing summarizer, compared with compaction off.

Each fault has applications of its own: one with compaction, and one without. Both get the same conversations, request
by request in turn. No request may fail, or wait for the summarizer. Where no summary can be made, the provider must get
the same bytes from both applications.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from dataclasses import dataclass, field

import orjson

from benchmarks.compaction.faults import ACCEPTED, DEAD, INJECTED
from benchmarks.compaction.gateways import ask, config_for, memory_of, serving
from benchmarks.compaction.planted import PlantedSession
from benchmarks.compaction.provider import Answer, Provider, providing
from benchmarks.gateway.machine import describe
from benchmarks.sanitize import History
from benchmarks.violations import print_violations
from tests.support.proxied import Proxied

LIMIT = 16_384
_FIRST, _LATER = 46_000, 6_000
_REQUESTS = 6
_PAUSE_S = 0.01
"""The pause after each pair of requests, in which the proxy may ask for the summary."""

_FRAME = "conversation_memory"
MEDIAN_MS, SLOWEST_MS = 10.0, 500.0
"""The goals: the most milliseconds that the median, and the slowest request, may be above those of compaction off.

The goals are too wide for the look-up's CPU time, which :mod:`benchmarks.compaction.look_up` measures. They find waits.
"""


@dataclass
class Result:
    """The milliseconds of each request with compaction and without it, and what was wrong."""

    on_ms: list[float] = field(default_factory=list)
    off_ms: list[float] = field(default_factory=list)
    asked: int = 0
    memories: int = 0
    during: int = 0
    """The requests that were answered while the summarizer had not answered yet."""

    violations: list[str] = field(default_factory=list)


async def run_fault(answer: Answer, *, accepted: bool, conversations: int) -> Result:
    """Send *conversations* conversations while the summarizer gives this *answer*."""
    result = Result()
    async with providing(lambda _: answer) as provider:
        off = config_for(provider, LIMIT, enabled=False)
        async with serving(config_for(provider, LIMIT)) as on, serving(off) as without:
            await _warm_up(on, without)
            for seed in range(conversations):
                history: History = []
                blocks = PlantedSession(seed).blocks(_FIRST, _LATER)
                for number, block in zip(range(_REQUESTS), blocks, strict=False):
                    history += block
                    pair = _Pair(provider, on, without, history, f"{seed}-{number}")
                    await pair.send(result, accepted=accepted, first=number % 2 == 0)
                    await asyncio.sleep(_PAUSE_S)
        result.asked = len(provider.summaries)
    judge(result, accepted=accepted)
    return result


async def _warm_up(*gateways: Proxied) -> None:
    history = next(iter(PlantedSession(-1).blocks(_LATER, _LATER)))
    for gateway in gateways:
        for _ in range(10):
            await ask(gateway, history, "warm-up")


@dataclass(frozen=True)
class _Pair:
    """One history that goes to the application with compaction and to the one without it."""

    provider: Provider
    on: Proxied
    off: Proxied
    history: History
    name: str

    async def send(self, result: Result, *, accepted: bool, first: bool) -> None:
        """Send the history to both applications, and judge what the provider received.

        With *first*, compaction is first.
        """
        order = [(self.on, result.on_ms), (self.off, result.off_ms)]
        bodies = {}
        for gateway, times in order if first else reversed(order):
            began = time.perf_counter()
            asked = await ask(gateway, self.history, self.name)
            times.append(1_000 * (time.perf_counter() - began))
            if asked.status != 200:
                result.violations.append(f"{self.name}: {asked.status}")
                return
            result.during += self.provider.running > 0
            bodies[gateway is self.on] = self.provider.last.pop(self.name)
            result.memories += asked.memory > 0
        if not accepted and bodies[True] != bodies[False]:
            result.violations.append(f"{self.name}: other bytes than without compaction")
        if accepted:
            result.violations += [f"{self.name}: {fault}" for fault in faults_of(bodies[True])]


def faults_of(body: bytes) -> list[str]:
    """Return what is wrong with the memory in *body*."""
    messages = orjson.loads(body)["messages"]
    memory = memory_of(messages)
    if memory is None or f"<{_FRAME}" not in memory:
        return []
    found = []
    if memory.count(f"<{_FRAME}") != 1 or memory.count(f"</{_FRAME}") != 1:
        found.append("the frame of the memory is opened or closed within it")
    if any(
        INJECTED in str(message.get("content")).lower() for message in messages if message["role"] == "system"
    ):
        found.append("a text of the summarizer is a system message")
    return found


def judge(result: Result, *, accepted: bool) -> None:
    """Add the goals that are missed to the violations of *result*."""
    if not result.asked:
        result.violations.append("the summarizer was not asked")
    if accepted and not result.memories:
        result.violations.append("no memory was sent")
    if not accepted and result.memories:
        result.violations.append(f"{result.memories} requests had a memory")


def judge_times(result: Result) -> None:
    """Add the missed goals for waits to the violations of *result*."""
    more = statistics.median(result.on_ms) - statistics.median(result.off_ms)
    if more > MEDIAN_MS:
        result.violations.append(f"the median request takes {more:.1f} ms more")
    if (slowest := max(result.on_ms) - max(result.off_ms)) > SLOWEST_MS:
        result.violations.append(f"the slowest request takes {slowest:.0f} ms more")


async def run(conversations: int) -> dict[str, Result]:
    """Run all faults, and return their results by their names."""
    faults = [
        (name, answer, accepted)
        for accepted, table in ((False, DEAD), (True, ACCEPTED))
        for name, answer in table.items()
    ]
    return {
        name: await run_fault(answer, accepted=accepted, conversations=conversations)
        for name, answer, accepted in faults
    }


def main() -> int:
    """Print a row for each fault, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compaction.summariser_faults", description=__doc__
    )
    parser.add_argument("--conversations", type=int, default=20, help="for each fault, default: %(default)s")
    options = parser.parse_args()
    results = asyncio.run(run(options.conversations))
    for result in results.values():
        judge_times(result)
    print(f"{describe()}\n\nrequests of some {LIMIT:,} tokens; milliseconds with compaction and without it\n")
    print(
        "| summarizer | requests | asked | with a memory | median on | off | slowest on | off | violations |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, result in results.items():
        on, off = result.on_ms, result.off_ms
        print(
            f"| {name} | {len(on)} | {result.asked} | {result.memories} | {statistics.median(on):.1f} "
            f"| {statistics.median(off):.1f} | {max(on):.0f} | {max(off):.0f} | {len(result.violations)} |"
        )
    violations = [f"{name}: {one}" for name, result in results.items() for one in result.violations]
    return 1 if print_violations(violations) else 0


if __name__ == "__main__":
    sys.exit(main())
