"""``python -m benchmarks.learned.rounds``: the calls that 1,000 requests cost at a target with one fault.

Requests are also sent to a gateway with ``learn: false``, which has a provider of its own. The client must get the same
answer and the same changes from both gateways, and both providers must have accepted the same body. Every second
conversation streams.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import orjson

from benchmarks.gateway.machine import describe
from benchmarks.learned.conversations import body_of, mark_of
from benchmarks.learned.gateways import config_for, serving
from benchmarks.learned.provider import Provider, providing, refusing
from benchmarks.learned.target_faults import FAULTS, Fault
from benchmarks.violations import print_violations
from tests.support.proxied import Proxied, Reply

LEAST_SHARE = 0.97
"""The least share of requests that cost one call."""

SHAPES = ((200, 5, 1), (1_000, 1, 10))
"""The number of conversations, of requests in each, and the distance between two requests that are compared."""

_AT_ONCE = 8
"""Conversations that go on in turn. The next ones begin when they have ended."""

MARK = ";learned"
_CREATED = re.compile(rb'"created":\d+')
"""The second in which a stream began."""


@dataclass
class Result:
    """The requests of one run by the number of calls that each cost, the probes, and what went wrong.

    *opening* are the costs of the conversations' first requests, in order, and *second* those of their second ones.
    """

    costs: Counter[int] = field(default_factory=Counter)
    opening: list[int] = field(default_factory=list)
    second: list[int] = field(default_factory=list)
    probes: int = 0
    violations: list[str] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """The calls of all requests."""
        return sum(cost * count for cost, count in self.costs.items())

    @property
    def share(self) -> float:
        """The share of the requests that cost one call."""
        return self.costs[1] / self.costs.total()


@dataclass(frozen=True, slots=True)
class Side:
    """A gateway and its provider."""

    gateway: Proxied
    provider: Provider

    async def ask(self, body: bytes, mark: str) -> tuple[Reply, int]:
        """Send *body*, and return the answer and the number of calls that the request cost."""
        reply = await self.gateway.post(body)
        return reply, len(self.provider.calls[mark])


def schedule(conversations: int, turns: int, at_once: int = _AT_ONCE) -> Iterator[tuple[int, int]]:
    """Yield the conversation and the turn of each request."""
    for first in range(0, conversations, at_once):
        for turn in range(turns):
            for conversation in range(first, min(first + at_once, conversations)):
                yield conversation, turn


async def run(
    fault: Fault, conversations: int, turns: int, *, every: int = 1, at_once: int = _AT_ONCE
) -> Result:
    """Send all requests of the conversations, one after another. Compare both gateways for *every* nth request.

    *at_once* is the number of conversations that go on in turn.
    """
    result = Result()
    judge = refusing(fault.refuse)
    async with (
        providing(judge) as provider,
        providing(judge) as plain_provider,
        serving(config_for(provider, fault.route)) as gateway,
        serving(config_for(plain_provider, fault.route, "false")) as plain_gateway,
    ):
        learning, plain = Side(gateway, provider), Side(plain_gateway, plain_provider)
        for number, (conversation, turn) in enumerate(schedule(conversations, turns, at_once)):
            mark = mark_of(conversation, turn)
            body = orjson.dumps(body_of(fault, conversation, turn, stream=conversation % 2 == 1))
            reply, cost = await learning.ask(body, mark)
            result.costs[cost] += 1
            if turn < 2:
                (result.second if turn else result.opening).append(cost)
            if reply.status != 200:
                result.violations.append(f"{mark}: status {reply.status}")
            if number % every:
                continue
            expected, plain_cost = await plain.ask(body, mark)
            result.violations += [f"{mark}: {one}" for one in _differences(reply, expected)]
            if provider.sent(mark)[-1] != plain_provider.sent(mark)[-1]:
                result.violations.append(f"{mark}: another body was accepted")
            if cost > plain_cost:
                result.violations.append(f"{mark}: {cost} calls instead of {plain_cost}")
        result.probes = int(await gateway.count("learned_probes_total"))
    if any(cost != 1 for cost in result.second[:_AT_ONCE]):
        result.violations.append("a second request of a conversation cost two calls")
    later = result.opening[fault.confirmations : fault.confirmations + _AT_ONCE]
    if later and max(later) > 1:
        result.violations.append("a conversation's first request cost two calls after enough confirmations")
    return result


def _differences(reply: Reply, expected: Reply) -> Iterator[str]:
    """Yield what the client got otherwise than without learning."""
    if reply.status != expected.status or _settled(reply) != _settled(expected):
        yield "another answer"
    changes, wanted = (one.headers.get("x-turnright-changes", "") for one in (reply, expected))
    if changes.replace(MARK, "") != wanted:
        yield f"the changes {changes} instead of {wanted}"


def _settled(reply: Reply) -> bytes:
    return _CREATED.sub(b"", reply.raw)


async def run_all(faults: Iterable[Fault]) -> int:
    """Run each fault in each shape and print a row for each run. Return the number of violations."""
    print(f"{describe()}\n")
    print("| fault | route | conversations | requests | calls | one call | probes | violations |")
    print("|---|---|---|---|---|---|---|---|")
    violations: list[str] = []
    for fault in faults:
        for conversations, turns, every in SHAPES:
            result = await run(fault, conversations, turns, every=every)
            if result.share < LEAST_SHARE:
                result.violations.append(f"{result.share:.1%} of the requests cost one call")
            print(
                f"| {fault.name} | {fault.route} | {conversations} | {result.costs.total():,} "
                f"| {result.calls:,} | {result.share:.1%} | {result.probes} | {len(result.violations)} |",
                flush=True,
            )
            violations += [f"{fault.name}, {fault.route}: {one}" for one in result.violations]
    return print_violations(violations)


def main() -> int:
    """Print the table, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learned.rounds", description=__doc__)
    parser.add_argument("--route", help="run only the faults of this route: openai, gemini or litellm")
    options = parser.parse_args()
    return 1 if asyncio.run(run_all(one for one in FAULTS if options.route in (None, one.route))) else 0


if __name__ == "__main__":
    sys.exit(main())
