"""Sends requests over keep-alive connections, in a process of its own that reads its task from stdin.

All connections draw from one sequence of requests.

closed loop   every connection sends its next request as soon as it was answered
paced         every connection sends at its own steady times, as far as it gets answers in time
streams       in either mode; each chunk's delay from provider to client is measured as well
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from typing_extensions import override

from benchmarks.gateway.answers import AnswerReader, StampReader
from benchmarks.gateway.bodies import MARK, numbered

_LAST_S = 30.0
"""Seconds to wait for outstanding answers after the load has ended."""


@dataclass(frozen=True, slots=True)
class Load:
    """The requests to send. *bodies* names files with whole requests, heads included, which are sent in turn."""

    port: int
    bodies: tuple[str, ...]
    connections: int
    seconds: float
    first_number: int
    growing: bool = False
    interval: float = 0.0
    """Seconds from one request of a connection to its next. 0 for a closed loop."""


@dataclass(slots=True)
class Outcome:
    """The result of a load. Times are in microseconds, sorted."""

    requests: int = 0
    errors: int = 0
    seconds: float = 0.0
    took: list[float] = field(default_factory=list)
    chunk_delays: list[float] = field(default_factory=list)
    chunk_gaps: list[float] = field(default_factory=list)


class _Requests:
    """Cycles through the request bodies and gives each request its own number, until the time is over."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._parts = [Path(path).read_bytes().split(MARK.encode()) for path in load.bodies]
        self._count = 0
        self._end = time.monotonic() + load.seconds

    def next(self) -> bytes | None:
        """Return the next request, or None when the time is over."""
        if time.monotonic() >= self._end:
            return None
        parts = self._parts[self._count % len(self._parts)]
        self._count += 1
        return numbered(parts, self._load.first_number + self._count, growing=self._load.growing)


class _Connection(asyncio.Protocol):
    """One connection, which sends requests and records the times of the answers.

    If the proxy closes the connection, no more requests are sent, and an outstanding request counts as an error.
    """

    def __init__(
        self, load: Load, requests: _Requests, outcome: Outcome, done: asyncio.Future[None], due: float
    ) -> None:
        self._load, self._requests, self._outcome, self._done = load, requests, outcome, done
        self._transport: asyncio.Transport | None = None
        self._reader: AnswerReader | None = None
        self._stamps = StampReader()
        self._asked = self._seen = 0
        self._due = due

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._wait()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._outcome.errors += self._reader is not None
            self._done.set_result(None)

    @override
    def data_received(self, data: bytes) -> None:
        now = time.monotonic_ns()
        if self._reader is None:
            return
        for stamp in self._stamps.feed(data):
            self._outcome.chunk_delays.append((now - stamp) / 1000)
            if self._seen:
                self._outcome.chunk_gaps.append((now - self._seen) / 1000)
            self._seen = now
        if self._reader.feed(data):
            self._outcome.requests += 1
            self._outcome.errors += self._reader.status != 200
            self._outcome.took.append((now - self._asked) / 1000)
            self._reader = None
            self._wait()

    def _wait(self) -> None:
        """Send the next request, at once or when it is due."""
        loop = asyncio.get_running_loop()
        if self._load.interval and (left := self._due - loop.time()) > 0:
            loop.call_later(left, self._ask)
        else:
            self._ask()
        self._due += self._load.interval

    def _ask(self) -> None:
        request = self._requests.next()
        if self._transport is None or request is None:
            if not self._done.done():
                self._done.set_result(None)
            if self._transport is not None:
                self._transport.close()
            return
        self._asked, self._seen = time.monotonic_ns(), 0
        self._reader, self._stamps = AnswerReader(), StampReader()
        self._transport.write(request)


async def send(load: Load) -> Outcome:
    """Send a load, and return its outcome."""
    loop = asyncio.get_running_loop()
    requests, outcome = _Requests(load), Outcome()
    began = time.monotonic()
    ends = []
    for place in range(load.connections):
        done = loop.create_future()
        due = loop.time() + load.interval * place / load.connections

        def connection(done: asyncio.Future[None] = done, due: float = due) -> _Connection:
            return _Connection(load, requests, outcome, done, due)

        await loop.create_connection(connection, "127.0.0.1", load.port)
        ends.append(done)
    _, waiting = await asyncio.wait(ends, timeout=load.seconds + _LAST_S)
    outcome.errors += len(waiting)
    outcome.seconds = time.monotonic() - began
    for times in (outcome.took, outcome.chunk_delays, outcome.chunk_gaps):
        times.sort()
    return outcome


def start(load: Load) -> subprocess.Popen[str]:
    """Start a process that sends *load*. :func:`finish` waits for it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.gateway.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(asdict(load)))
    process.stdin.close()
    process.stdin = None  # so that communicate() does not flush it
    return process


def finish(process: subprocess.Popen[str]) -> Outcome:
    """Wait for a process of :func:`start`, and return the outcome of its load."""
    text, _ = process.communicate()
    if process.returncode:
        raise SystemExit("the load generator failed")
    return Outcome(**json.loads(text))


if __name__ == "__main__":
    told = json.load(sys.stdin)
    print(json.dumps(asdict(asyncio.run(send(Load(**told))))))
