"""Translates a chat request into Gemini's format, message by message, without any repair.

Consecutive tool results become one entry of ``contents``, since Gemini expects the results of parallel calls together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

_SIGNATURE = "skip_thought_signature_validator"
"""Google's placeholder for a missing thought signature (ai.google.dev/gemini-api/docs/thought-signatures)."""

Message = Mapping[str, Any]


def translate(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body for Gemini's ``generateContent`` that a chat request becomes.

    Raises KeyError, TypeError, ValueError or AttributeError for a message that has another form than OpenAI documents.
    """
    messages = request["messages"]
    names = {call["id"]: call["function"]["name"] for one in messages for call in one.get("tool_calls") or ()}
    system = [part for one in messages if _is_system(one) for part in _parts(one["content"])]
    body: dict[str, Any] = {"contents": []}
    for is_result, run in groupby((one for one in messages if not _is_system(one)), _is_result):
        turns = list(run)
        body["contents"] += [_results(turns, names)] if is_result else map(_content, turns)
    if system:
        body["systemInstruction"] = {"parts": system}
    if request.get("tools"):
        body["tools"] = [{"functionDeclarations": [tool["function"] for tool in request["tools"]]}]
    return body


def _is_system(message: Message) -> bool:
    return message["role"] in ("system", "developer")


def _is_result(message: Message) -> bool:
    return bool(message["role"] == "tool")


def _results(messages: Iterable[Message], names: Mapping[str, str]) -> dict[str, Any]:
    responses = [
        {"name": names.get(one["tool_call_id"], ""), "response": {"content": one["content"]}}
        for one in messages
    ]
    return {"role": "user", "parts": [{"functionResponse": response} for response in responses]}


def _content(message: Message) -> dict[str, Any]:
    parts = _parts(message.get("content"))
    for number, call in enumerate(message.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
        signed = {} if number else {"thoughtSignature": _SIGNATURE}
        parts.append({"functionCall": function, **signed})
    return {"role": "model" if message["role"] == "assistant" else message["role"], "parts": parts}


def _parts(content: Any) -> list[dict[str, Any]]:
    if content is None:
        return []
    return [{"text": content}] if isinstance(content, str) else [_part(part) for part in content]


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"text": part["text"]}
    head, _, data = part["image_url"]["url"].partition(";base64,")
    return {"inlineData": {"mimeType": head.removeprefix("data:"), "data": data}}
