"""Reads the tool calls in a provider's request body, in each wire format: ids, names and arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.process.providers import route_of

WireCall = tuple[str | None, str, Any]


def calls_at(model: str, body: Mapping[str, Any]) -> list[WireCall]:
    """Return the calls in *body* in order, read in the wire format of *model*'s provider."""
    return list(_READ.get(route_of(model), _openai)(body))


def _openai(body: Mapping[str, Any]) -> Iterator[WireCall]:
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield call["id"], function["name"], json.loads(function["arguments"])


def _ollama(body: Mapping[str, Any]) -> Iterator[WireCall]:
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            yield None, call["function"]["name"], call["function"]["arguments"]


def _anthropic(body: Mapping[str, Any]) -> Iterator[WireCall]:
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_use":
                yield block["id"], block["name"], block["input"]


def _bedrock(body: Mapping[str, Any]) -> Iterator[WireCall]:
    for message in body["messages"]:
        for block in message["content"]:
            if "toolUse" in block:
                call = block["toolUse"]
                yield call["toolUseId"], call["name"], call["input"]


def _gemini(body: Mapping[str, Any]) -> Iterator[WireCall]:
    for content in body["contents"]:
        for part in content["parts"]:
            call = part.get("functionCall") or part.get("function_call")
            if call is not None:
                yield call.get("id"), call["name"], call["args"]


_READ: Mapping[str, Callable[[Mapping[str, Any]], Iterator[WireCall]]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
    "litellm/ollama_chat": _ollama,
}
