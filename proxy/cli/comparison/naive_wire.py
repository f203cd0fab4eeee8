"""Converts a chat history to Gemini's format without any repair. Each message but the system's becomes one content.

This is the request of a client that trusts its history. The demo sends it to the emulator directly.
"""

from __future__ import annotations

import json
from typing import Any

_DUMMY_SIGNATURE = "skip_thought_signature_validator"
"""Google's documented placeholder (ai.google.dev/gemini-api/docs/thought-signatures).

A history from another provider has no signatures. With the placeholder, Gemini 3 judges only the order of the turns.
"""


def naive_body(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the ``generateContent`` body for *messages* and OpenAI *tools*."""
    names = {call["id"]: call["function"]["name"] for m in messages for call in m.get("tool_calls") or ()}
    system = [{"text": m["content"]} for m in messages if m["role"] == "system"]
    body: dict[str, Any] = {"contents": [_content(m, names) for m in messages if m["role"] != "system"]}
    if system:
        body["systemInstruction"] = {"parts": system}
    if tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool["function"]) for tool in tools]}]
    return body


def _content(message: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    if message["role"] == "tool":
        call_id = message["tool_call_id"]
        response = {"name": names.get(call_id, ""), "response": {"content": message["content"]}}
        return {"role": "user", "parts": [{"functionResponse": response}]}
    parts: list[dict[str, Any]] = []
    if message.get("content") is not None:
        parts.append({"text": message["content"]})
    for number, call in enumerate(message.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
        part: dict[str, Any] = {"functionCall": function}
        if number == 0:
            part["thoughtSignature"] = _DUMMY_SIGNATURE
        parts.append(part)
    return {"role": "model" if message["role"] == "assistant" else "user", "parts": parts}


def _declaration(function: dict[str, Any]) -> dict[str, Any]:
    return {"name": function["name"], "description": function["description"]}
