"""Measures the CPU of two kinds of requests beside each other, so that a busy machine slows both down.

Both are sent in turns to one proxy in this process. The CPU is that of the event loop's thread alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from benchmarks.gateway.bodies import MARK, encode, numbered

_WARM_UP = 40
_CHUNKS = (20, 220)
_INTERVAL_US = 300
_STREAMS = 4


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of request: its path, and its body as a JSON object without its model."""

    path: str
    model: str
    body: Mapping[str, Any]
    version: str | None = None
    """The header ``anthropic-version``, if the path wants it."""

    stream_path: str = ""
    """The path of a stream, where paths say what bodies say elsewhere: the model, and whether to stream."""

    def parts(self, *, stream: bool) -> list[bytes]:
        """Return the body, split at its marks."""
        if self.stream_path:
            return orjson.dumps(self.body).split(MARK.encode())
        return encode(self.body, model=self.model, stream=stream).split(MARK.encode())

    def streamed(self) -> Kind:
        """Return this kind with the path of a stream."""
        return replace(self, path=self.stream_path or self.path)


class Pairs:
    """Sends requests to the proxy on *port*, in front of the provider at *base*."""

    def __init__(self, port: int, base: str) -> None:
        self._port = port
        self._base = base.removeprefix("http://")
        self._number = 0

    async def turns(self, kind: Kind, beside: Kind, rounds: int, requests: int) -> float:
        """Return the least CPU of a whole turn of *kind*, as a multiple of the least CPU of *beside*."""
        kinds = [(one, one.parts(stream=False)) for one in (kind, beside)]
        for one, parts in kinds:
            await self._cpu(one, parts, _WARM_UP)
        least = [float("inf")] * 2
        for _ in range(rounds):
            for at, (one, parts) in enumerate(kinds):
                least[at] = min(least[at], await self._cpu(one, parts, requests))
        return least[0] / least[1]

    async def chunks(self, kind: Kind, beside: Kind, rounds: int) -> float:
        """Return the CPU of one chunk of a stream, as a multiple of *beside*'s: the median of all rounds.

        A chunk's cost is the difference between a long and a short stream.
        """
        kinds = [(one.streamed(), one.parts(stream=True)) for one in (kind, beside)]
        ratios = []
        for _ in range(rounds):
            costs = [0.0, 0.0]
            for sign, count in zip((-1, 1), _CHUNKS, strict=True):
                await asyncio.to_thread(self._set_pace, count)
                for at, (one, parts) in enumerate(kinds):
                    costs[at] += sign * await self._cpu(one, parts, _STREAMS)
            ratios.append(costs[0] / costs[1])
        return statistics.median(ratios)

    async def _cpu(self, kind: Kind, parts: list[bytes], requests: int) -> float:
        """Return the CPU seconds of the event loop's thread for *requests* requests."""
        first, self._number = self._number, self._number + requests
        gc.collect()
        gc.disable()
        try:
            started = time.thread_time()
            await asyncio.to_thread(self._send, kind, parts, range(first, first + requests))
            return time.thread_time() - started
        finally:
            gc.enable()

    def _send(self, kind: Kind, parts: list[bytes], numbers: range) -> None:
        headers = {"Content-Type": "application/json"}
        if kind.version:
            headers["anthropic-version"] = kind.version
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._port)) as connection:
            for number in numbers:
                body = numbered(parts, number, growing=False)
                connection.request("POST", kind.path, body, headers)
                answer = connection.getresponse()
                said = answer.read()
                if answer.status != 200:
                    raise SystemExit(f"{answer.status}: {said[:300]!r}")

    def _set_pace(self, chunks: int) -> None:
        with contextlib.closing(http.client.HTTPConnection(self._base)) as connection:
            connection.request("GET", f"/pace?chunks={chunks}&interval_us={_INTERVAL_US}")
            connection.getresponse().read()


def find_missed(
    measured: Mapping[str, Mapping[str, float]], goals: Mapping[str, float], beside: str
) -> list[str]:
    """Return a line for each ratio in *measured* that exceeds its row's goal. *beside* names what it is a ratio to."""
    return [
        f"{row}, {size}: {ratio:.2f} times {beside}, the goal is {goals[row]}"
        for row, sizes in measured.items()
        for size, ratio in sizes.items()
        if ratio > goals[row]
    ]
