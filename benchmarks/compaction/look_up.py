"""``python -m benchmarks.compaction.look_up``: the CPU time of the look-up of a memory, and calls in short requests.

Four applications get requests of 100k tokens in turn: without compaction; below 60 % of the limit; above it without a
memory; and with a memory. The CPU time is that of all threads of this process. The look-up is timed on its own, since a
memory also makes the rest of the request cheaper. Other processes of the machine only add to a CPU time, so the
smallest time of all requests counts. The function calls of short requests are counted as well.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import cProfile
import http.client
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any
from unittest.mock import patch

import orjson

from benchmarks.compaction.extract import Extract
from benchmarks.compaction.gateways import MAIN, ask, config_for, serving, settle
from benchmarks.compaction.provider import Provider, providing_in_a_thread
from benchmarks.gateway.bodies import MARK, Body, agent_history, bodies, encode, numbered, request
from benchmarks.gateway.machine import describe
from benchmarks.sanitize import History
from proxy.forwarding.chat.conversation_memory import ConversationMemory
from tests.support.proxied import CHAT, Proxied

MOST_MS = 1.5
"""The goal: the most CPU milliseconds of a look-up."""

MOST_CALLS = 60
"""The goal: the most further function calls of a short request with compaction, for its policy and its token count.
"""

_WARM_UP = 20
_CALLS_WARM_UP, _BATCHES, _BATCH = 120, 8, 5
_JSON = {"Content-Type": "application/json"}

LIMITS = {"off": 155_000, "below 60 %": 400_000, "no memory": 155_000, "memory": 155_000}
"""The limits in tokens, by the names of the applications. The body has some 100,000 tokens."""

_TRIGGERS = {"memory": 0.55}
_CHARACTERS = 375_000


@dataclass
class Spent:
    """The CPU milliseconds of each request and of each look-up, and the number of requests with a memory."""

    requests: list[float] = field(default_factory=list)
    look_ups: list[float] = field(default_factory=list)
    memories: int = 0


@contextlib.contextmanager
def timed(times: list[float]) -> Iterator[None]:
    """Add the CPU milliseconds of each look-up to *times* while the context lasts."""
    find = ConversationMemory.find

    async def measured(self: ConversationMemory, *arguments: Any) -> Any:
        began = time.process_time()
        try:
            return await find(self, *arguments)
        finally:
            times.append(1_000 * (time.process_time() - began))

    with patch.object(ConversationMemory, "find", measured):
        yield


async def measure(provider: Provider, rounds: int) -> dict[str, Spent]:
    """Send *rounds* requests to each application in turn, and return the CPU times by the applications' names."""
    parts = encode(request(agent_history(300, _CHARACTERS)), model=MAIN).split(MARK.encode())
    spent = {name: Spent() for name in LIMITS}
    async with AsyncExitStack() as stack:
        gateways = {
            name: await stack.enter_async_context(serving(_config(provider, name, limit)))
            for name, limit in LIMITS.items()
        }
        await _write_memory(gateways["memory"], provider, parts)
        for number in range(rounds + _WARM_UP):
            body = numbered(parts, number, growing=True)
            for name, gateway in gateways.items():
                times: list[float] = []
                with timed(times):
                    began = time.process_time()
                    budget = await asyncio.to_thread(_send, gateway.server.port, body)
                    took = 1_000 * (time.process_time() - began)
                if number >= _WARM_UP:
                    spent[name].requests.append(took)
                    spent[name].look_ups += times
                    spent[name].memories += "memory=" in budget
    return spent


def _config(provider: Provider, name: str, limit: int) -> dict[str, Any]:
    if name == "off":
        return config_for(provider, limit, enabled=False)
    return config_for(provider, limit, compaction={"trigger": _TRIGGERS.get(name, 0.7)})


async def _write_memory(gateway: Proxied, provider: Provider, parts: list[bytes]) -> None:
    """Send a beginning of the history of :func:`measure`, and wait until the proxy has summarized it."""
    messages: History = orjson.loads(numbered(parts, 0, growing=True))["messages"]
    end = next(at for at in range(len(messages) - 4, 0, -1) if messages[at]["role"] == "assistant")
    asked = await ask(gateway, messages[:end])
    await settle(gateway)
    if asked.status != 200 or not provider.summaries:
        raise SystemExit(f"no summary was asked for: {asked}")


def _send(port: int, body: bytes) -> str:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("POST", CHAT, body, _JSON)
        answer = connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{answer.status}: {said[:300]!r}")
        return answer.headers["x-turnright-budget"] or ""


def count_calls(provider: Provider, sizes: dict[str, Body]) -> dict[str, tuple[float, float]]:
    """Return the function calls of a request below 60 % of its limit, by size: without compaction, and with it.

    Each count has a process of its own, since equal deployments of two applications share a cache.
    """
    counts: dict[bool, list[float]] = {}
    for enabled in (False, True):
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            counts[enabled] = pool.submit(_count_all, provider.origin, list(sizes.values()), enabled).result()
    return {size: (counts[False][at], counts[True][at]) for at, size in enumerate(sizes)}


def _count_all(origin: str, sizes: list[Body], enabled: bool) -> list[float]:
    async def count() -> list[float]:
        provider = Provider(Extract(set()), origin)
        async with serving(config_for(provider, 400_000, enabled=enabled)) as gateway:
            return [await _count(gateway, encode(body, model=MAIN).split(MARK.encode())) for body in sizes]

    return asyncio.run(count())


async def _count(gateway: Proxied, parts: list[bytes]) -> float:
    def send(numbers: range) -> None:
        for number in numbers:
            _send(gateway.server.port, numbered(parts, number, growing=False))

    await asyncio.to_thread(send, range(_CALLS_WARM_UP))
    counts = []
    for first in range(_CALLS_WARM_UP, _CALLS_WARM_UP + _BATCHES * _BATCH, _BATCH):
        profile = cProfile.Profile()  # of this thread alone, which the server runs in
        profile.enable()
        await asyncio.to_thread(send, range(first, first + _BATCH))
        profile.disable()
        counts.append(sum(entry.callcount for entry in profile.getstats()))
    return min(counts) / _BATCH


def judge(spent: dict[str, Spent], calls: dict[str, tuple[float, float]]) -> list[str]:
    """Return the missed goals: the time of look-ups, the expected memories, and the further function calls."""
    missed = []
    for name in ("no memory", "memory"):
        if (took := min(spent[name].look_ups, default=0.0)) > MOST_MS:
            missed.append(f"{name}: a look-up takes {took:.2f} ms")
        if not spent[name].look_ups:
            missed.append(f"{name}: there was no look-up")
    if spent["memory"].memories != len(spent["memory"].requests):
        missed.append(f"only {spent['memory'].memories} requests had a memory")
    if spent["no memory"].memories:
        missed.append("requests had a memory where none was written")
    if spent["below 60 %"].look_ups:
        missed.append("there was a look-up below 60 % of the limit")
    missed += [
        f"{size}: {on - off:.1f} calls more with compaction"
        for size, (off, on) in calls.items()
        if on - off > MOST_CALLS
    ]
    return missed


def run(rounds: int) -> tuple[dict[str, Spent], dict[str, tuple[float, float]]]:
    """Return the CPU times and the numbers of calls."""
    with providing_in_a_thread(Extract(set()), reads=False) as provider:
        spent = asyncio.run(measure(provider, rounds))
        sizes = bodies()
        calls = count_calls(provider, {size: sizes[size] for size in ("small", "10k")})
    return spent, calls


def main() -> int:
    """Print both tables, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compaction.look_up", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="requests of each kind, default: %(default)s")
    options = parser.parse_args()
    spent, calls = run(options.rounds)
    print(f"{describe()}\n\nrequests of 100k tokens, CPU milliseconds (the least of all)\n")
    print("| compaction | a request | the look-up |\n|---|---|---|")
    for name, one in spent.items():
        look_up = f"{min(one.look_ups):.2f}" if one.look_ups else "none"
        print(f"| {name} | {min(one.requests):.2f} | {look_up} |")
    print("\nfunction calls of a request below 60 %\n\n| size | compaction off | on |\n|---|---|---|")
    for size, (off, on) in calls.items():
        print(f"| {size} | {off:.1f} | {on:.1f} |")
    missed = judge(spent, calls)
    print(f"\n{len(missed)} violations")
    for one_missed in missed:
        print(f"- {one_missed}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
