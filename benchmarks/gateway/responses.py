"""``python -m benchmarks.gateway.responses``: CPU of a Responses request beside the same chat request, in one run.

The provider speaks chat. :mod:`benchmarks.gateway.pairs` says how both are measured. Exits with 1 where a ratio exceeds
its goal.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from benchmarks.gateway.bodies import Body, bodies
from benchmarks.gateway.calls import serve_provider
from benchmarks.gateway.pairs import Kind, Pairs, find_missed
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
            pairs = Pairs(server.port, base)
            sizes = {size: body for size, body in bodies().items() if "damaged" not in size}
            return {
                name: {
                    size: await pairs.turns(*_kinds(body, store=name == STORED), rounds, requests)
                    for size, body in sizes.items()
                }
                for name in (TURN, STORED)
            } | {CHUNK: {"small": await pairs.chunks(*_kinds(sizes["small"], store=True), rounds)}}


def _kinds(body: Body, *, store: bool) -> tuple[Kind, Kind]:
    """Return *body* as items and as a chat. *store* says whether the response is stored."""
    return Kind(RESPONSES, _MODEL, {**as_items(body), "store": store}), Kind(CHAT, _MODEL, body)


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
    if missed := find_missed(measured, GOALS, "chat"):
        raise SystemExit("\n".join(missed))


if __name__ == "__main__":
    main()
