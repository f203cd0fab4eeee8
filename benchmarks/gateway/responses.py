"""``python -m benchmarks.gateway.responses``: CPU of a Responses request beside the same chat request, in one run.

Both formats are sent in turns to one proxy in front of a provider that speaks chat, so that a busy machine slows both
down. The CPU is that of the event loop's thread alone. A turn's figure is the ratio of the least costs of all rounds. A
chunk's cost is the difference between a long and a short stream, and its figure is the median of the ratios. Exits with
1 where a ratio exceeds its goal.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import http.client
import io
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from benchmarks.gateway.bodies import MARK, Body, bodies, encode, numbered
from benchmarks.gateway.calls import serve_provider
from benchmarks.gateway.peers import CHAT, model_list
from benchmarks.gateway.tables import render
from proxy.config import load_settings
from proxy.observability.logs import configure_logs
from proxy.server.serve import serving
from proxy.upstream.select_transport import SelectingUpstream

RESPONSES = "/v1/responses"
TURN, STORED, CHUNK = "a turn", "a stored turn", "a chunk"
GOALS: Mapping[str, float] = {TURN: 1.3, STORED: 2.5, CHUNK: 1.5}
"""The largest ratio of each row. A stored turn is also packed and written, which a chat is not."""

_MODEL = "m-openai"
_WARM_UP = 40
_CHUNKS = (20, 220)
_INTERVAL_US = 300
_STREAMS = 4

Asked = tuple[str, list[bytes]]
"""A path, and a body that is split at its marks."""


def as_items(body: Body) -> dict[str, Any]:
    """Return the chat request *body* as a request of the Responses API with the same history and tools."""
    items: list[dict[str, Any]] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            output = {"call_id": message["tool_call_id"], "output": message["content"]}
            items.append({"type": "function_call_output", **output})
            continue
        if message.get("content") is not None:
            kind = "output_text" if message["role"] == "assistant" else "input_text"
            content = [{"type": kind, "text": message["content"]}]
            items.append({"type": "message", "role": message["role"], "content": content})
        for call in message.get("tool_calls") or ():
            items.append({"type": "function_call", "call_id": call["id"], **call["function"]})
    asked: dict[str, Any] = {"input": items, "max_output_tokens": body["max_tokens"]}
    if "temperature" in body:
        asked["temperature"] = body["temperature"]
    if "tools" in body:
        asked["tools"] = [{"type": "function", **tool["function"]} for tool in body["tools"]]
    return asked


async def measure(rounds: int, requests: int) -> dict[str, dict[str, float]]:
    """Return the ratios by row and column. Each of *rounds* sends *requests* requests of each kind."""
    configure_logs(io.StringIO())
    with tempfile.TemporaryDirectory() as scratch, serve_provider(Path(scratch)) as base:
        settings = load_settings(orjson.dumps(model_list(base, "direct")), {}).settings
        upstream = SelectingUpstream.for_settings(settings)
        async with serving(settings, upstream, host="127.0.0.1", port=0) as server:
            bench = _Bench(server.port, base.removeprefix("http://"))
            sizes = {size: body for size, body in bodies().items() if "damaged" not in size}
            return {
                name: {
                    size: await bench.turns(body, rounds, requests, store=name == STORED)
                    for size, body in sizes.items()
                }
                for name in (TURN, STORED)
            } | {CHUNK: {"small": await bench.chunks(sizes["small"], rounds)}}


class _Bench:
    """Sends requests to the proxy on *port*, in front of the provider at *base*."""

    def __init__(self, port: int, base: str) -> None:
        self._port = port
        self._base = base
        self._number = 0

    async def turns(self, body: Body, rounds: int, requests: int, *, store: bool) -> float:
        """Return the ratio of the least CPU of whole turns. *store* says whether its response is stored."""
        chat, items = _split(body), _split({**as_items(body), "store": store})
        kinds: tuple[Asked, Asked] = ((CHAT, chat), (RESPONSES, items))
        for kind in kinds:
            await self._cpu(kind, _WARM_UP)
        least = dict.fromkeys((CHAT, RESPONSES), float("inf"))
        for _ in range(rounds):
            for kind in kinds:
                least[kind[0]] = min(least[kind[0]], await self._cpu(kind, requests))
        return least[RESPONSES] / least[CHAT]

    async def chunks(self, body: Body, rounds: int) -> float:
        """Return the median ratio of the CPU of one chunk of a stream."""
        kinds: tuple[Asked, Asked] = (
            (CHAT, _split(body, stream=True)),
            (RESPONSES, _split(as_items(body), stream=True)),
        )
        ratios = []
        for _ in range(rounds):
            costs = {path: 0.0 for path, _ in kinds}
            for sign, count in zip((-1, 1), _CHUNKS, strict=True):
                await asyncio.to_thread(self._set_pace, count)
                for path, parts in kinds:
                    costs[path] += sign * await self._cpu((path, parts), _STREAMS)
            ratios.append(costs[RESPONSES] / costs[CHAT])
        return statistics.median(ratios)

    async def _cpu(self, asked: Asked, requests: int) -> float:
        """Return the CPU seconds of the event loop's thread for *requests* requests."""
        first, self._number = self._number, self._number + requests
        gc.collect()
        gc.disable()
        try:
            started = time.thread_time()
            await asyncio.to_thread(self._send, asked, range(first, first + requests))
            return time.thread_time() - started
        finally:
            gc.enable()

    def _send(self, asked: Asked, numbers: range) -> None:
        path, parts = asked
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._port)) as connection:
            for number in numbers:
                body = numbered(parts, number, growing=False)
                connection.request("POST", path, body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                said = answer.read()
                if answer.status != 200:
                    raise SystemExit(f"{answer.status}: {said[:300]!r}")

    def _set_pace(self, chunks: int) -> None:
        with contextlib.closing(http.client.HTTPConnection(self._base)) as connection:
            connection.request("GET", f"/pace?chunks={chunks}&interval_us={_INTERVAL_US}")
            connection.getresponse().read()


def _split(body: Mapping[str, Any], *, stream: bool = False) -> list[bytes]:
    return encode(body, model=_MODEL, stream=stream).split(MARK.encode())


def _over(measured: Mapping[str, Mapping[str, float]]) -> list[str]:
    return [
        f"{row}, {size}: {ratio:.2f} times chat, the goal is {GOALS[row]}"
        for row, sizes in measured.items()
        for size, ratio in sizes.items()
        if ratio > GOALS[row]
    ]


def main(say: Callable[[str], object] = print) -> None:
    """Print the table, and the rows that miss their goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--requests", type=int, default=15, help="the requests of each kind in a round")
    options = parser.parse_args()
    measured = asyncio.run(measure(options.rounds, options.requests))
    sizes = list(measured[TURN])
    say(render(measured, sizes, 2))
    if missed := _over(measured):
        raise SystemExit("\n".join(missed))


if __name__ == "__main__":
    main()
