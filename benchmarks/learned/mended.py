"""``python -m benchmarks.learned.mended``: the requests, or the hours, after which a mended fault is unlearned.

First the fault is there for so many requests that the interval between two probes has its maximum. Then the target is
mended, right after a probe. In one run many requests follow, and no time passes. In the other run a request follows
just before 24 hours have passed by a test's clock, and two follow then. No request may fail.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import repeat

import orjson

from benchmarks.gateway.machine import describe
from benchmarks.learned.conversations import body_of, mark_of
from benchmarks.learned.gateways import config_for, serving
from benchmarks.learned.provider import Body, Provider, providing, refusing
from benchmarks.learned.target_faults import FAULTS, Fault
from benchmarks.violations import print_violations
from proxy.state.repairs.evidence import MAX_DOUBLINGS
from tests.support.proxied import Proxied
from tests.support.sqlite_stores import SteppedClock

MOST_REQUESTS = 1_001
MOST_HOURS = 24.0

_ENOUGH = 3_000
"""Requests after which a run is given up."""

_PROBES = 2
"""Probes in a row that are accepted before a repair is unlearned."""

BY_REQUESTS = (0.0,)
BY_TIME = (86_399.0, 1.0, 0.0)
"""The seconds that pass before each request to the mended target. The last number is repeated."""

_CHOSEN = {
    ("parameter", "openai"),
    ("tail", "openai"),
    ("JSON with tools", "gemini"),
    ("parameter", "litellm"),
}


@dataclass
class Result:
    """One run: the requests before the target was mended, those until it was unlearned, and the hours of these."""

    before: int = 0
    requests: int = 0
    hours: float = 0.0
    violations: list[str] = field(default_factory=list)


@dataclass
class _Requests:
    """Sends requests with the fault, each as a conversation of its own."""

    fault: Fault
    gateway: Proxied
    provider: Provider
    result: Result
    sent: int = 0

    async def ask(self) -> list[Body]:
        """Send the next request, and return the bodies of its calls."""
        number, self.sent = self.sent, self.sent + 1
        reply = await self.gateway.post(orjson.dumps(body_of(self.fault, number, 0, stream=number % 2 == 1)))
        if reply.status != 200:
            self.result.violations.append(f"request {number}: status {reply.status}")
        return self.provider.sent(mark_of(number, 0))


async def run(fault: Fault, steps: Iterable[float]) -> Result:
    """Run *fault*. *steps* are the seconds before each request to the mended target."""
    result, clock = Result(), SteppedClock()
    async with (
        providing(refusing(fault.refuse)) as provider,
        serving(config_for(provider, fault.route), clock) as gateway,
    ):
        requests = _Requests(fault, gateway, provider, result)
        refused = 0
        while refused < fault.confirmations + MAX_DOUBLINGS and requests.sent < _ENOUGH:
            refused += len(await requests.ask()) - 1
        result.before = requests.sent
        provider.judge = lambda _: None
        began, plain = clock.now, 0
        *first, last = steps
        for step in (*first, *repeat(last, _ENOUGH)):
            clock.now += step
            bodies = await requests.ask()
            result.requests += 1
            if len(bodies) != 1:
                result.violations.append(f"a request cost {len(bodies)} calls")
            plain += bool(fault.refuse(bodies[0]))
            if plain == _PROBES:
                break
        result.hours = (clock.now - began) / 3_600
        listed = (await gateway.get("/v1/learned")).json["data"]
        if any(one["learned"] for one in listed):
            result.violations.append("the repair is still learned")
    return result


async def run_all(faults: Iterable[Fault]) -> int:
    """Run each fault in both ways, and print a row for each run. Return the number of violations."""
    print(f"{describe()}\n")
    print(
        "| fault | route | requests before | until unlearned | hours | violations |\n|---|---|---|---|---|---|"
    )
    violations: list[str] = []
    for fault in faults:
        for steps in (BY_REQUESTS, BY_TIME):
            result = await run(fault, steps)
            if result.requests > MOST_REQUESTS or result.hours > MOST_HOURS:
                result.violations.append(f"{result.requests} requests and {result.hours} hours")
            print(
                f"| {fault.name} | {fault.route} | {result.before:,} | {result.requests:,} "
                f"| {result.hours:g} | {len(result.violations)} |",
                flush=True,
            )
            violations += [f"{fault.name}, {fault.route}: {one}" for one in result.violations]
    return print_violations(violations)


def main() -> int:
    """Print the table, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learned.mended", description=__doc__)
    parser.parse_args()
    return 1 if asyncio.run(run_all(one for one in FAULTS if (one.name, one.route) in _CHOSEN)) else 0


if __name__ == "__main__":
    sys.exit(main())
