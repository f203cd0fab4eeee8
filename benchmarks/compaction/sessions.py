"""``python -m benchmarks.compaction.sessions``: random sessions over two replicas that share one store.

Clients edit, rewind and branch their histories. Some requests go to both replicas, in turn or at the same time. The
replicas are two whole applications in one process, on sockets of their own, in front of one Valkey server. Every answer
of the summarizer differs from all others. So a second summary of the same messages would be noticed.

The proxy waits 50 ms for its store, and goes on without it. On a busy machine, two replicas would then not see the same
store. So the replicas wait longer for the store in this benchmark.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

import orjson

from benchmarks.compaction.extract import OwnWords
from benchmarks.compaction.gateways import ask, config_for, patient_stores, serving, settle
from benchmarks.compaction.provider import Provider, providing
from benchmarks.compaction.random_sessions import RandomSession, Step, Way
from benchmarks.compaction.sent import Sent, broken_pair, covered_by, digest_of
from benchmarks.gateway.machine import describe
from benchmarks.sanitize import History
from tests.support.proxied import Proxied
from tests.support.store_servers import valkey_server

LIMIT = 4_096
MEMORY_TOKENS = 1_000
KEPT = 10
"""The last messages of a history, which are sent as they are."""

REQUESTS = 14
"""The requests of a session. Some of them are sent twice."""


@dataclass
class Result:
    """The counts of what happened, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    largest: int = 0
    """The tokens of the largest memory."""

    def __add__(self, other: Result) -> Result:
        """Return both results as one."""
        return Result(
            self.counts + other.counts,
            self.violations + other.violations,
            max(self.largest, other.largest),
        )


class Driver:
    """Sends sessions to two replicas, and judges what the provider received."""

    def __init__(self, provider: Provider, replicas: Sequence[Proxied]) -> None:
        self._provider = provider
        self._replicas = replicas
        self._covered: dict[str, str] = {}
        self.result = Result()

    async def session(self, seed: int, requests: int = REQUESTS) -> None:
        """Send the requests of the session with this *seed*."""
        found: list[str] = []
        await self._requests(seed, requests, found)
        self.result.violations += found
        self.result.counts["sessions"] += 1

    async def _requests(self, seed: int, requests: int, found: list[str]) -> None:
        before: dict[int, Sent] = {}
        memories: set[str] = set()
        for number, step in enumerate(RandomSession(seed, requests).steps()):
            where = f"session {seed}, request {number}"
            replicas = self._chosen(step)
            if step.way is Way.BOTH:
                await self._settle()
            if step.way is Way.RACE:
                names = [f"{seed}-{number}-{place}" for place in range(2)]
                sent = await asyncio.gather(*map(self._send, replicas, names, [step.messages] * 2))
            else:
                sent = []
                for replica in replicas:
                    sent.append(await self._send(replica, f"{seed}-{number}", step.messages))
                    if step.way is Way.BOTH:  # a summary of this request must not change its repetition
                        await self._settle()
            if step.way is Way.BOTH and sent[0] is not None and sent[1] is not None:
                self.result.counts["sent to both"] += 1
                self._judge_both(where, sent[0], sent[1], found)
            for one in sent:
                if one is None:
                    found.append(f"{where}: not answered")
                    continue
                self._judge(where, step.messages, one, found)
                if step.extends:
                    self._judge_prefix(where, (before[step.branch], one), found)
                if one.memory is not None:
                    memories.add(one.memory)
            if sent[-1] is not None:
                before[step.branch] = sent[-1]
            else:
                return
            if number % 3 == 0:
                await self._settle()
        self.result.counts["memories"] += len(memories)

    def _chosen(self, step: Step) -> list[Proxied]:
        first, second = self._replicas[step.replica], self._replicas[1 - step.replica]
        return [first] if step.way is Way.ONE else [first, second]

    async def _settle(self) -> None:
        for replica in self._replicas:
            await settle(replica)

    async def _send(self, replica: Proxied, user: str, messages: History) -> Sent | None:
        asked = await ask(replica, messages, user)
        self.result.counts["requests"] += 1
        self.result.largest = max(self.result.largest, asked.memory)
        body = self._provider.last.pop(user, None)
        return None if asked.status != 200 or body is None else Sent.of(body, asked)

    def _judge_both(self, where: str, one: Sent, other: Sent, found: list[str]) -> None:
        """Check that both replicas have sent the same messages.

        Cuts may differ, since they depend on the token factors that a replica has learned.
        """
        if one.messages == other.messages:
            return
        if self._provider.reports_usage and one.memory == other.memory and (one.is_cut or other.is_cut):
            self.result.counts["other cuts by the other replica"] += 1
            return
        found.append(f"{where}: other bytes by the other replica")

    def _judge(self, where: str, messages: History, sent: Sent, found: list[str]) -> None:
        """Check one request: its memory, its pairs of calls and results, its repairs and its last messages."""
        self.result.counts["with a memory"] += sent.memory is not None
        self.result.counts["cut"] += sent.is_cut
        if sent.memory is not None:
            end = covered_by(sent.memory)
            covered = digest_of(messages[:end])
            if not end or self._covered.setdefault(sent.memory, covered) != covered:
                found.append(f"{where}: the memory of other messages")
        decoded = [orjson.loads(message) for message in sent.messages]
        if (broken := broken_pair(decoded)) is not None:
            found.append(f"{where}: {broken}")
        if sent.repairs:
            found.append(f"{where}: {', '.join(sent.repairs)}")
        if sent.is_cut:
            return
        kept = min(KEPT, len(messages))
        if [orjson.dumps(message) for message in messages[-kept:]] != sent.messages[-kept:]:
            found.append(f"{where}: the last {kept} messages are not as they came")
        if sent.memory is None and len(messages) != len(sent.messages):
            found.append(f"{where}: messages are missing without a memory")

    def _judge_prefix(self, where: str, pair: tuple[Sent, Sent], found: list[str]) -> None:
        """Check that the second request begins with the first one, except after a compaction or a cut."""
        before, sent = pair
        self.result.counts["continued"] += 1
        if sent.messages[: len(before.messages)] == before.messages:
            return
        if sent.memory != before.memory:
            self.result.counts["breaks by a compaction"] += 1
            if before.memory is not None and covered_by(sent.memory) < covered_by(before.memory):
                found.append(f"{where}: an older memory than the request before, or none")
        elif sent.is_cut or before.is_cut:
            self.result.counts["breaks by a cut"] += 1
        else:
            found.append(f"{where}: does not begin with the request before")


async def run(first: int, sessions: int, concurrency: int = 4, *, learns: bool = False) -> Result:
    """Run *sessions* sessions from seed *first* on, *concurrency* of them at once.

    With *learns*, the provider reports tokens. The replicas learn factors from these tokens, and cut by them.
    """
    compaction = {"memory_tokens": MEMORY_TOKENS}
    with patient_stores(), valkey_server() as server:
        async with providing(OwnWords()) as provider:
            provider.reports_usage = learns
            config = config_for(provider, LIMIT, store={"url": server.url}, compaction=compaction)
            async with serving(config) as one, serving(config) as other:
                driver = Driver(provider, (one, other))
                waiting = iter(range(first, first + sessions))

                async def work() -> None:
                    for seed in waiting:
                        await driver.session(seed)

                async with asyncio.TaskGroup() as group:
                    for _ in range(concurrency):
                        group.create_task(work())
    result = driver.result
    if result.largest > MEMORY_TOKENS and not learns:
        result.violations.append(f"a memory has {result.largest} tokens")
    return result


def run_all(first: int, sessions: int) -> Result:
    """Run a tenth of *sessions* with learned factors, and the others without. Each way has an event loop of its own."""
    learning = sessions // 10
    with_factors = asyncio.run(run(first, learning, learns=True))
    return with_factors + asyncio.run(run(first + learning, sessions - learning))


def main() -> int:
    """Print the counts, and return 1 where anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compaction.sessions", description=__doc__)
    parser.add_argument("--sessions", type=int, default=5_000, help="default: %(default)s")
    parser.add_argument("--first", type=int, default=0, help="the first seed, default: %(default)s")
    parser.add_argument("--processes", type=int, default=2, help="default: %(default)s")
    options = parser.parse_args()
    each = -(-options.sessions // options.processes)
    firsts = range(options.first, options.first + options.sessions, each)
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        result = sum(pool.map(run_all, firsts, [each] * len(firsts)), Result())
    if result.counts["memories"] < options.sessions // 2:
        result.violations.append("there are too few memories for this run to say anything")
    print(f"{describe()}\n\n| what | number |\n|---|---|")
    for name, count in result.counts.items():
        print(f"| {name} | {count:,} |")
    print(f"| tokens of the largest memory (at most {MEMORY_TOKENS:,}) | {result.largest:,} |")
    print(f"\n{len(result.violations)} violations")
    for violation in result.violations[:20]:
        print(f"- {violation}")
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
