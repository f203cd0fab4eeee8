"""Measures ``litellm.acompletion`` alone, in a process of its own. The litellm transport cannot cost less.

The messages are given as objects, so that reading a body and writing an answer are not measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.gateway.bodies import MARK as TEXT_MARK
from benchmarks.gateway.bodies import Body, encode, numbered

_AT_ONCE = 8
_WARM_UP_S = 0.5
_START_S = 120.0


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of *model* at *api_base* for *seconds*.

    *body* is JSON with marks, which each call replaces with its number.
    """

    model: str
    api_base: str
    body: str
    seconds: float
    stream: bool = False


def measure(
    model: str, api_base: str, body: Body, seconds: float, *, core: int, stream: bool = False
) -> float:
    """Return the CPU microseconds of one call, or of one chunk of a stream, measured in a process on *core*."""
    calls = Calls(model, api_base, encode(body, model=model).decode(), seconds, stream)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gateway.acompletion"],
        input=json.dumps(asdict(calls)),
        capture_output=True,
        text=True,
        timeout=_START_S + seconds,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    return float(done.stdout.splitlines()[-1])


async def _run(calls: Calls) -> float:
    """Call repeatedly, and return the CPU of one call or chunk in microseconds."""
    import litellm

    parts = calls.body.encode().split(TEXT_MARK.encode())
    number = counted = 0
    end = 0.0

    async def call() -> None:
        nonlocal number, counted
        while time.monotonic() < end:
            number += 1
            arguments: dict[str, Any] = json.loads(numbered(parts, number, growing=False))
            arguments |= {"api_base": calls.api_base, "api_key": "sk-benchmark", "stream": calls.stream}
            answer = await litellm.acompletion(**arguments)
            if calls.stream:
                async for _ in answer:
                    counted += 1
            else:
                counted += 1

    used = 0.0
    for seconds in (_WARM_UP_S, calls.seconds):
        end, counted, used = time.monotonic() + seconds, 0, time.process_time()
        await asyncio.gather(*(call() for _ in range(_AT_ONCE)))
    return (time.process_time() - used) / max(1, counted) * 1e6


def main() -> None:
    """Read the calls from standard input, make them, and print the figure."""
    from proxy.upstream.litellm.environment import quiet_litellm

    quiet_litellm()
    print(asyncio.run(_run(Calls(**json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
