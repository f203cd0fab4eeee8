"""Send questions from many clients at once through ``turnright serve`` to providers that fail at random.

Every question must end in its own complete answer or an honest error. No question may hang, and no part of an answer
may come twice. Afterwards the process must hold no more requests, sockets and descriptors than before, and its memory
must hardly grow.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import aiohttp

from benchmarks.chaos.asking import Outcome, ask
from benchmarks.chaos.faults import TOO_LONG_S, Faults
from benchmarks.chaos.providers import KEEP_ALIVE_S, OPENAI_NAME, PATIENT_S, Providers, config_for, providing
from benchmarks.chaos.questions import Question, Violation
from benchmarks.chaos.serving import Server
from benchmarks.chaos.watching import Held, Samples, by_label, connections, read_metrics, settle, total
from tests.process.running import Served

MAX_GROWTH_MIB = 24.0
"""MiB by which the proxy's memory may grow in the second half of a run.

A leak of a kilobyte per request reaches a third of this in 8,000 requests.
"""

LITELLM_LOADS_MIB = 80.0
"""MiB that litellm loads when it first counts tokens, for a stream that ended without usage.

This happens once in a run, at a time that depends on the faults. litellm's tokenizer takes 38 MiB. Runs of 200 requests
showed 74 MiB in all.
"""

_WARM_UP = 64


@dataclass
class Report:
    """The result of a run: the outcomes, the violations, and the counts of the proxy and of the providers."""

    seed: int
    transport: str
    outcomes: list[Outcome] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    calls: int = 0
    """Calls that reached the providers."""

    attempts: int = 0
    """Calls by the proxy's own count."""

    retries: dict[str, int] = field(default_factory=dict)
    fallbacks: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)


async def run(
    *,
    requests: int,
    concurrency: int,
    share: float,
    transport: str,
    seed: int,
    provider: str = OPENAI_NAME,
) -> Report:
    """Ask *requests* questions, *concurrency* at a time, while *share* of the calls fail, and return the report.

    *provider* is the one beside Gemini.
    """
    report = Report(seed, transport)
    random = Random(seed)
    faults = Faults(random, 0.0, hidden=transport == "direct")
    silence_s, keep_alive_s = (TOO_LONG_S * 0.6, KEEP_ALIVE_S) if share else (PATIENT_S, PATIENT_S)
    async with providing(faults, provider, keep_alive_s=keep_alive_s) as providers:
        with tempfile.TemporaryDirectory() as directory:
            config = config_for(providers, transport, silence_s=silence_s)
            server = await asyncio.to_thread(Server, Path(directory), config)
            try:
                await _warm_up(server.served, providers, report)
                faults.share = share
                asked = questions(requests, random, providers.models)
                await _ask_all(server.served, asked, concurrency, report)
                faults.share = 0.0
                await _look_after(server.served, providers, faults, report)
            finally:
                await asyncio.to_thread(server.stop, report.violations)
    report.faults = faults.drawn
    return report


def questions(count: int, random: Random, models: tuple[str, str]) -> Iterator[Question]:
    """Yield *count* questions, of which every second is streamed. Models, texts and calls are drawn at random."""
    for number in range(count):
        yield Question(number, random.choice(models), stream=number % 2 == 0, calls=random.random() < 0.5)


async def _warm_up(served: Served, providers: Providers, report: Report) -> None:
    """Ask some questions first, so that later growth is not due to first imports, connections or caches.

    Then record what the process holds at rest.
    """
    async with aiohttp.ClientSession() as session:
        for number in range(_WARM_UP):
            question = Question(
                number, providers.models[number % 2], stream=number % 4 > 1, calls=number % 8 > 3
            )
            await ask(session, served.origin, question)
    await settle(lambda: not providers.running, 10.0)
    providers.close_all()
    await asyncio.sleep(1.0)
    providers.other.answered = 0
    report.held["at rest"] = Held.by(served.running.process.pid)


async def _ask_all(served: Served, source: Iterator[Question], concurrency: int, report: Report) -> None:
    loop = asyncio.get_running_loop()
    started = loop.time()
    asked = list(source)
    half = len(asked) // 2
    remaining = iter(asked)

    async def client(session: aiohttp.ClientSession) -> None:
        for question in remaining:
            try:
                report.outcomes.append(await ask(session, served.origin, question))
            except Violation as violation:
                report.violations.append(str(violation))
            if question.number == half:
                report.held["half way"] = Held.by(served.running.process.pid)

    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(client(session))
    report.seconds = loop.time() - started
    numbers = Counter(outcome.number for outcome in report.outcomes if outcome.number is not None)
    report.violations += [f"answer {number} was given {n} times" for number, n in numbers.items() if n > 1]


async def _look_after(served: Served, providers: Providers, faults: Faults, report: Report) -> None:
    """Compare the proxy's resources with those at rest, and the proxy's counts with those of the providers."""
    pid, rest = served.running.process.pid, report.held["at rest"]
    samples = await read_metrics(served.origin)
    await settle(lambda: not providers.running, 10.0)
    running = providers.running
    providers.close_all()
    back = await settle(lambda: Held.by(pid).sockets <= rest.sockets, 30.0)
    report.held["after"] = after = Held.by(pid)
    if not back or after.descriptors > rest.descriptors:
        report.violations.append(f"more is open than before: {rest} / {after}: {connections(pid)}")
    grown = after.mib - report.held["half way"].mib
    if grown > MAX_GROWTH_MIB + (LITELLM_LOADS_MIB if report.transport == "litellm" else 0.0):
        report.violations.append(f"the second half took {grown:.1f} MiB")
    if (working := total(samples, "turnright_in_flight")) != 0:
        report.violations.append(f"{working:.0f} requests are still in flight")
    if running:
        report.violations.append(f"{running} calls are still open at the providers")
    _count(samples, faults, report)


def _count(samples: Samples, faults: Faults, report: Report) -> None:
    attempts = "turnright_upstream_attempts_total"
    report.calls = faults.calls
    report.attempts = int(total(samples, attempts))
    report.retries = by_label(samples, "turnright_retries_total", "reason")
    report.fallbacks = by_label(samples, "turnright_fallbacks_total", "reason")
    report.failures = by_label(samples, attempts, "outcome")
    if (
        report.calls > report.attempts
    ):  # fewer are no fault: a kept connection may be gone before the call is sent
        report.violations.append(f"{report.attempts} attempts, but {report.calls} calls at the providers")
