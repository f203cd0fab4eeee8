"""Clients that leave before their answer is complete, each at a moment drawn from a seeded generator.

When a client has left, its call upstream must be closed at once, and nothing may be retried for it. After the run, the
process must hold no more resources than before.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

from benchmarks.chaos.patient_provider import PatientProvider

CALLED = ("waiting", "held", "streaming")
"""Moments during a call upstream: no answer yet, a stream without text, and a stream with text."""

MOMENTS = ("connected", "head", "body", "refused", *CALLED)
"""All moments: after the connect, within the head, within the body, in the wait before a retry, and :data:`CALLED`."""

_SLOWEST_S = 20.0


@dataclass
class Report:
    """The result of a run: how many clients left at each moment, and how their calls upstream ended."""

    left: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MOMENTS, 0))
    closed_after: list[float] = field(default_factory=list)
    """Seconds from the client's disconnect to the end of the call upstream."""

    violations: list[str] = field(default_factory=list)

    def at(self, share: float) -> float:
        """Return the seconds within which the share *share* of the calls upstream was closed."""
        ordered = sorted(self.closed_after)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


async def leave_all(
    origin: str, provider: PatientProvider, numbers: Sequence[int], concurrency: int, random: Random
) -> Report:
    """For each of *numbers*, let a client connect and leave. *concurrency* clients run at a time."""
    report = Report()
    remaining = iter(numbers)

    async def clients() -> None:
        for number in remaining:
            moment = random.choice(MOMENTS)
            report.left[moment] += 1
            try:
                await _come_and_leave(origin, provider, number, moment, random, report)
            except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
                report.violations.append(f"client {number}, {moment}: {error!r}")

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(clients())
    for number in numbers:
        if provider.call(number).times > 1:
            report.violations.append(f"client {number} had left, and was tried for again")
    return report


async def _come_and_leave(
    origin: str, provider: PatientProvider, number: int, moment: str, random: Random, report: Report
) -> None:
    address = urlsplit(origin)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(_until(moment, _request(number, moment, random), random))
        call = provider.call(number)
        if moment in ("refused", *CALLED):
            async with asyncio.timeout(_SLOWEST_S):
                await call.under_way.wait()
                if moment == "streaming":
                    await reader.readuntil(b"Some words. ")
        await asyncio.sleep(random.uniform(0.0, 0.03))
    finally:
        left = asyncio.get_running_loop().time()
        if random.random() < 0.5:
            writer.close()
        else:
            writer.transport.abort()
    if moment in CALLED:
        async with asyncio.timeout(_SLOWEST_S):
            await call.closed.wait()
        report.closed_after.append(call.closed_at - left)


def _request(number: int, moment: str, random: Random) -> tuple[bytes, bytes]:
    prompt = f"{moment} {number} {'x' * random.randrange(20_000)}"
    stream = moment in ("held", "streaming") or (moment == "waiting" and random.random() < 0.5)
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": prompt}], "stream": stream}
    payload = json.dumps(body).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(payload)}\r\n\r\n"
    return head.encode(), payload


def _until(moment: str, request: tuple[bytes, bytes], random: Random) -> bytes:
    """Return the bytes that a client sends before it leaves at *moment*."""
    head, payload = request
    match moment:
        case "connected":
            return b""
        case "head":
            return head[: random.randrange(1, len(head))]
        case "body":
            return head + payload[: random.randrange(len(payload))]
        case _:
            return head + payload
