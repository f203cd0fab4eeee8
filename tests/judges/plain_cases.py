"""For each provider's format, a plain request that its judges must accept and an illegal one that they must refuse."""

from __future__ import annotations

from typing import Any

_SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}}
_CALL = {"id": "abcdefgh1", "type": "function", "function": {"name": "look", "arguments": '{"at": "x"}'}}
_ASKED = {"role": "user", "content": "Look."}
_CALLED = {"role": "assistant", "content": "", "tool_calls": [_CALL]}
_RESULT = {"role": "tool", "tool_call_id": "abcdefgh1", "content": "seen"}
_TOOLS = [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": _SCHEMA}}]


def chat(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a request of OpenAI's format with a tool."""
    return {"model": "m", "messages": list(messages), "tools": _TOOLS, **fields}


def _untyped(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "tool_calls": [{name: value for name, value in _CALL.items() if name != "type"}]}


_CLAUDE = {"model": "m", "max_tokens": 9}
_USE = {"type": "tool_use", "id": "a", "name": "look", "input": {"at": "x"}}
_GOOGLE_CALL = {"functionCall": {"name": "look", "args": {"at": "x"}}}
_GOOGLE_RESULT = {"functionResponse": {"name": "look", "response": {"output": "seen"}}}
_GOOGLE_ASKED = {"role": "user", "parts": [{"text": "Look."}]}
_CONVERSE_ASKED = {"role": "user", "content": [{"text": "Look."}]}
_CONVERSE_USE = {"toolUse": {"toolUseId": "a", "name": "look", "input": {"at": "x"}}}
_CONVERSE_RESULT = {"toolResult": {"toolUseId": "a", "content": [{"text": "seen"}]}}
_OLLAMA_CALL = {"function": {"name": "look", "arguments": {"at": "x"}}}

PLAIN: dict[str, dict[str, Any]] = {
    "openai": chat(_ASKED, _CALLED, _RESULT),
    "cohere": chat(_ASKED, _CALLED, _RESULT),
    "mistralai": chat(_ASKED, _CALLED, _RESULT),
    "mistral": chat(_ASKED, {"role": "assistant", "tool_calls": [_CALL]}, _RESULT),
    "anthropic": {
        **_CLAUDE,
        "messages": [
            _ASKED,
            {"role": "assistant", "content": [_USE]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "seen"}]},
        ],
    },
    "ollama": chat(
        _ASKED, {"role": "assistant", "tool_calls": [_OLLAMA_CALL]}, {"role": "tool", "content": "seen"}
    ),
    "google": {
        "contents": [
            _GOOGLE_ASKED,
            {"role": "model", "parts": [_GOOGLE_CALL]},
            {"role": "user", "parts": [_GOOGLE_RESULT]},
        ],
    },
    "converse": {
        "messages": [
            _CONVERSE_ASKED,
            {"role": "assistant", "content": [_CONVERSE_USE]},
            {"role": "user", "content": [_CONVERSE_RESULT]},
        ],
    },
}
"""A plain request with a call and its result, by the name of the provider's format."""

ILLEGAL: dict[str, tuple[dict[str, Any], str]] = {
    "openai": (chat(_ASKED, _untyped(_CALLED), _RESULT), "type: Field required"),
    "cohere": (chat(_ASKED, {**_CALLED, "prefix": True}, _RESULT), "unknown field: messages[1].prefix"),
    "mistralai": (chat(_ASKED, _CALLED, _RESULT, stream_options={}), "unknown field: body.stream_options"),
    "mistral": (chat(_ASKED, {"role": "assistant", "content": "Well."}), "Expected last role"),
    "anthropic": (
        {**_CLAUDE, "messages": [_ASKED, {"role": "assistant", "content": [{**_USE, "input": [1]}]}]},
        "input: Input should be a valid dictionary",
    ),
    "ollama": (
        chat(
            _ASKED, {"role": "assistant", "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]}
        ),
        "arguments: Input should be a valid dictionary",
    ),
    "google": ({"contents": [{"role": "user", "parts": [{"texts": "Look."}]}]}, "texts"),
    "converse": (
        {"messages": [_CONVERSE_ASKED, {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a"}}]}]},
        'Missing required parameter in messages[1].content[0].toolUse: "name"',
    ),
}
"""An illegal request and a part of the refusal's text, by the name of the provider's format."""

TEMPLATES_REFUSE: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("null beside a call", chat(_ASKED, {**_CALLED, "content": None}, _RESULT), 10),
    ("two calls at once", chat(_ASKED, {**_CALLED, "tool_calls": [_CALL, _CALL]}, _RESULT, _RESULT), 5),
    ("two questions in a row", {"messages": [_ASKED, _ASKED]}, 3),
)
"""Histories that many templates refuse.

Each row has a fault, a body with this fault, and the least number of templates that refuse the body.
"""

PLAIN_CHAT = {"messages": [_ASKED]}


def form_of(worker: str, judge: str) -> str:
    """Return the name of the provider's format that a judge reads, a key of PLAIN and ILLEGAL."""
    forms = {"bedrock": "converse", "google_types": "google"}
    return "mistral" if worker.startswith("mistral") else forms.get(worker, judge)
