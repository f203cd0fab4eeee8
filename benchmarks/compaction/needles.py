"""``python -m benchmarks.compaction.needles``: the planted facts that reach the provider after several compactions.

Each session has 40 facts. The session goes through turnright with compaction, and through turnright without it, which
cuts to half. The third way, a sliding window, drops the oldest rounds that do not fit. A fact counts as kept where its
text is in the bytes of the request. The sliding window's requests are only computed, not sent.

A quarter of the sessions are sent once more with a summarizer that keeps no fact. The memory then has to keep the
user's words, and the kinds of facts that rules find, without a model.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from benchmarks.compaction.extract import Extract, NoFacts
from benchmarks.compaction.gateways import RESERVE, ask, config_for, memory_of, serving, settle
from benchmarks.compaction.planted import LEDGER, Fact, Kind, PlantedSession
from benchmarks.compaction.provider import Provider, providing
from benchmarks.cuts.evictions import sliding
from benchmarks.cuts.window import Sizes, Window
from benchmarks.gateway.machine import describe
from benchmarks.sanitize import History
from tests.support.proxied import Proxied

LIMIT = 16_384
MEMORY_TOKENS = 4_000
AFTER = (1, 3, 6, 10)
"""The numbers of compactions after which the facts are counted."""

WAYS = ("compaction", "cut to half", "sliding window")
WITHOUT_FACTS = "compaction, summaries without facts"
ALL, OF_LEDGER = 0.95, 1.0
"""The goals: the share of all facts that is kept, and the share of those that a memory keeps without a model."""

_FIRST, _LATER = 40_000, 8_000
"""The characters of a block. The first one takes the history above 70 % of the limit, and no block above 90 %."""

_MOST_BLOCKS = 60


@dataclass
class Kept:
    """The number of facts in the sent requests, and in the client's messages, by their kinds."""

    sent: Counter[Kind] = field(default_factory=Counter)
    planted: Counter[Kind] = field(default_factory=Counter)

    def add(self, facts: Iterable[Fact], body: bytes) -> None:
        """Count *facts* in *body*."""
        for fact in facts:
            self.planted[fact.kind] += 1
            self.sent[fact.kind] += orjson.dumps(fact.value)[1:-1] in body

    def share(self, kinds: Iterable[Kind] = tuple(Kind)) -> float:
        """Return the share of the facts of *kinds* that were sent."""
        kinds = tuple(kinds)
        planted = sum(self.planted[kind] for kind in kinds)
        return sum(self.sent[kind] for kind in kinds) / planted if planted else 1.0


@dataclass
class Result:
    """The kept facts by the way and the number of compactions, and the violations."""

    kept: dict[tuple[str, int], Kept] = field(default_factory=dict)
    memories: list[int] = field(default_factory=list)
    """The tokens of each memory that was sent."""

    violations: list[str] = field(default_factory=list)

    def add(self, way: str, after: int, facts: Iterable[Fact], body: bytes) -> None:
        """Count *facts* in *body*, which was sent in this *way*."""
        self.kept.setdefault((way, after), Kept()).add(facts, body)


@dataclass(frozen=True)
class Run:
    """The running applications and the provider, and the result that sessions add to."""

    provider: Provider
    compacting: Proxied
    cutting: Proxied
    result: Result

    async def session(self, seed: int, session: PlantedSession) -> None:
        """Send the blocks of *session* until there were as many compactions as the last of :data:`AFTER` says."""
        user, history, memories = f"session-{seed}", History(), dict[str, None]()
        for number, block in enumerate(session.blocks(_FIRST, _LATER)):
            if number == _MOST_BLOCKS:
                self.result.violations.append(f"session {seed}: {len(memories)} compactions")
                return
            history += block
            asked = await ask(self.compacting, history, user)
            if asked.status != 200:
                self.result.violations.append(f"session {seed}, request {number}: {asked.status}")
            if "budget=" in asked.changes:
                self.result.violations.append(
                    f"session {seed}, request {number}: was cut, so it says nothing"
                )
            body = self.provider.last.pop(user)
            memory = memory_of(orjson.loads(body)["messages"]) if asked.memory else None
            if memory is not None and memory not in memories:
                memories[memory] = None
                self.result.memories.append(asked.memory)
                await self._count(user, history, session.facts, len(memories), body)
                if len(memories) == AFTER[-1]:
                    return
            await settle(self.compacting)

    async def _count(self, user: str, history: History, facts: list[Fact], after: int, body: bytes) -> None:
        if after not in AFTER:
            return
        self.result.add(WAYS[0], after, facts, body)
        await ask(self.cutting, history, user)
        self.result.add(WAYS[1], after, facts, self.provider.last.pop(user))
        system = history[0]
        room = LIMIT - len(orjson.dumps(system)) // 4
        self.result.add(WAYS[2], after, facts, orjson.dumps(sliding(history, Window(room, Sizes()))))


async def run(sessions: int, concurrency: int, *, keeps_facts: bool = True) -> Result:
    """Run *sessions* sessions, *concurrency* of them at once.

    *keeps_facts* is False for summaries that hold no planted fact.
    """
    planned = {seed: PlantedSession(seed) for seed in range(sessions)}
    cores = {core for session in planned.values() for core in session.cores}
    compaction = {"memory_tokens": MEMORY_TOKENS}
    async with (
        providing(Extract(cores) if keeps_facts else NoFacts()) as provider,
        serving(config_for(provider, LIMIT, compaction=compaction)) as compacting,
        serving(config_for(provider, LIMIT, enabled=False)) as cutting,
    ):
        run = Run(provider, compacting, cutting, Result())
        waiting = iter(planned.items())

        async def work() -> None:
            for seed, session in waiting:
                await run.session(seed, session)

        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    judge(run.result, ALL if keeps_facts else 0.0)
    return run.result


def judge(result: Result, least: float) -> None:
    """Add the goals that are missed to the violations of *result*. *least* is the goal for the share of all facts."""
    largest = max(result.memories, default=0)
    if largest > MEMORY_TOKENS:
        result.violations.append(f"a memory has {largest} tokens")
    for after in AFTER:
        kept = result.kept.get((WAYS[0], after))
        if kept is None:
            result.violations.append(f"no session had {after} compactions")
            continue
        if kept.share(LEDGER) < OF_LEDGER:
            lost = {kind.value: kept.planted[kind] - kept.sent[kind] for kind in sorted(LEDGER)}
            result.violations.append(f"after {after} compactions, lost facts of the ledger: {lost}")
        if kept.share() < least:
            result.violations.append(f"after {after} compactions, {kept.share():.1%} of all facts")


def show(result: Result) -> str:
    """Return the result as a table."""
    lines = [
        f"| way | {' | '.join(f'after {after}: all | ledger and user' for after in AFTER)} |",
        f"|---|{'---|---|' * len(AFTER)}",
    ]
    for way in (WAYS[0], WITHOUT_FACTS, *WAYS[1:]):
        found = [result.kept.get((way, after), Kept()) for after in AFTER]
        shares = " | ".join(f"{kept.share():.1%} | {kept.share(LEDGER):.1%}" for kept in found)
        lines.append(f"| {way} | {shares} |")
    return "\n".join(lines)


def main() -> int:
    """Print the table, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compaction.needles", description=__doc__)
    parser.add_argument("--sessions", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=2, help="default: %(default)s")
    options = parser.parse_args()
    result = asyncio.run(run(options.sessions, options.concurrency))
    without = asyncio.run(run(-(-options.sessions // 4), options.concurrency, keeps_facts=False))
    for after in AFTER:
        result.kept[WITHOUT_FACTS, after] = without.kept.get((WAYS[0], after), Kept())
    result.violations += [f"{WITHOUT_FACTS}: {one}" for one in without.violations]
    memories = [*result.memories, *without.memories] or [0]
    print(f"{describe()}\n\n{options.sessions} sessions with 40 facts each, limit {LIMIT:,} tokens ", end="")
    print(f"(window {LIMIT + RESERVE:,}); memories of {min(memories):,} to {max(memories):,} tokens\n")
    print(show(result))
    print(f"\n{len(result.violations)} violations")
    for violation in result.violations[:20]:
        print(f"- {violation}")
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
