"""``python -m benchmarks.gateway.messages``: CPU of Anthropic's format on both sides of the proxy, beside chat.

A client's Messages request is compared with the same chat request to the same provider. To Claude, its own bytes go
through, and the chat goes to OpenAI's wire. A chat that is written for Claude is compared with the chat to OpenAI's
wire too. :mod:`benchmarks.gateway.pairs` says how both are measured. Exits with 1 where a ratio exceeds its goal.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
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

MESSAGES = "/v1/messages"
VERSION = "2023-06-01"
_OPENAI, _GEMINI, _CLAUDE = "m-openai", "m-gemini", "m-claude"

ROWS: Mapping[str, tuple[str, str, str]] = {
    "Messages to Gemini": (MESSAGES, _GEMINI, _GEMINI),
    "Messages to OpenAI": (MESSAGES, _OPENAI, _OPENAI),
    "Messages to Claude": (MESSAGES, _CLAUDE, _OPENAI),
    "chat to Claude": (CHAT, _CLAUDE, _OPENAI),
}
"""The path and the model of each row, and the model of the chat beside it."""

CHUNK = ", a chunk"
GOALS: Mapping[str, float] = {
    **dict.fromkeys(ROWS, 1.3),
    **dict.fromkeys((f"{row}{CHUNK}" for row in ROWS), 1.5),
}
"""The largest ratio of each row."""


def as_messages(body: Body) -> dict[str, Any]:
    """Return the chat request *body* as a request of Anthropic's API with the same history and tools."""
    messages: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"max_tokens": body["max_tokens"], "messages": messages}
    for message in body["messages"]:
        role, content = message["role"], message.get("content")
        if role == "system":
            asked["system"] = [{"type": "text", "text": content}]
            continue
        blocks = [] if content is None else [{"type": "text", "text": content}]
        if role == "tool":
            role = "user"
            result = {"tool_use_id": message["tool_call_id"], "content": content}
            blocks = [{"type": "tool_result", **result}]
        for call in message.get("tool_calls") or ():
            called = call["function"]
            use = {"id": call["id"], "name": called["name"], "input": json.loads(called["arguments"])}
            blocks.append({"type": "tool_use", **use})
        if messages and role == "user" == messages[-1]["role"]:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    if "temperature" in body:
        asked["temperature"] = body["temperature"]
    if "tools" in body:
        asked["tools"] = [_tool(tool["function"]) for tool in body["tools"]]
    return asked


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    described = {name: function[name] for name in ("name", "description")}
    return {**described, "input_schema": function["parameters"]}


def config(provider: str) -> dict[str, Any]:
    """Return the settings: the models of the other benchmarks, and a Claude."""
    listed: dict[str, Any] = model_list(provider, "direct")
    claude = {"model": "anthropic/claude-sonnet-4-5", "api_base": provider, "api_key": "sk-benchmark"}
    limits = listed["model_list"][0]["model_info"]
    entry = {"model_name": _CLAUDE, "litellm_params": claude, "model_info": limits, "transport": "direct"}
    return {"model_list": [*listed["model_list"], entry]}


async def measure(rounds: int, requests: int, wanted: str = "") -> dict[str, dict[str, float]]:
    """Return the ratios by row and size, for the rows whose names hold *wanted*."""
    configure_logs(io.StringIO())
    with tempfile.TemporaryDirectory() as scratch, serve_provider(Path(scratch)) as base:
        settings = load_settings(orjson.dumps(config(base)), {}).settings
        upstream = SelectingUpstream.for_settings(settings)
        async with serving(settings, upstream, host="127.0.0.1", port=0) as server:
            pairs = Pairs(server.port, base)
            sizes = {size: body for size, body in bodies().items() if "damaged" not in size}
            measured: dict[str, dict[str, float]] = {}
            for row in (row for row in ROWS if wanted in row):
                measured[row] = {
                    size: await pairs.turns(*_kinds(row, body), rounds, requests)
                    for size, body in sizes.items()
                }
                chunk = await pairs.chunks(*_kinds(row, sizes["small"]), rounds)
                measured[f"{row}{CHUNK}"] = {"small": chunk}
            return measured


def _kinds(row: str, body: Body) -> tuple[Kind, Kind]:
    path, model, beside = ROWS[row]
    is_native = path == MESSAGES
    kind = Kind(path, model, as_messages(body) if is_native else body, VERSION if is_native else None)
    return kind, Kind(CHAT, beside, body)


def main(say: Callable[[str], object] = print) -> None:
    """Print the table, and the rows that miss their goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--requests", type=int, default=15, help="the requests of each kind in a round")
    parser.add_argument("--only", default="", help="a part of the names of the rows to measure")
    options = parser.parse_args()
    measured = asyncio.run(measure(options.rounds, options.requests, options.only))
    say(render(measured, ["small", "10k", "100k"], 2))
    if missed := find_missed(measured, GOALS, "chat"):
        raise SystemExit("\n".join(missed))


if __name__ == "__main__":
    main()
