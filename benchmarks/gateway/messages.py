"""``python -m benchmarks.gateway.messages``: CPU of Anthropic's format on both sides of the proxy, beside chat.

A client's Messages request is compared with the same chat request to the same provider. To Claude, its own bytes go
through, and the chat goes to OpenAI's wire. A chat that is written for Claude is compared with the chat to OpenAI's
wire too. :mod:`benchmarks.gateway.pairs` says how both are measured. Exits with 1 where a ratio exceeds its goal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchmarks.gateway.beside_chat import CHUNK, Comparison, main
from benchmarks.gateway.bodies import Body
from benchmarks.gateway.pairs import Kind
from benchmarks.gateway.peers import CHAT, model_list

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


def _kinds(row: str, body: Body) -> tuple[Kind, Kind]:
    path, model, beside = ROWS[row]
    is_native = path == MESSAGES
    kind = Kind(path, model, as_messages(body) if is_native else body, VERSION if is_native else None)
    return kind, Kind(CHAT, beside, body)


if __name__ == "__main__":
    main(Comparison(ROWS, GOALS, config, _kinds), __doc__)
