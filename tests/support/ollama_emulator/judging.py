"""Judges a request to `/api/chat` by Ollama's rules.

Sources. No user message (Qwen 3.5, HTTP 500): leviath#471. Images: ollama-js#68. Values that Go cannot decode, unknown
roles, and models without tools: Ollama's own texts, from memory.

Known to be legal, and so accepted: any order of roles, results without calls, and empty texts. Ollama's chat template
just renders such histories. This judge checks neither call ids nor the pairing of calls and results.
"""

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NO_MODEL = "model is required"
NO_BODY = "missing request body"
NO_QUERY = "no user query found in messages"
NO_TOOLS = "registry.ollama.ai/library/{model}:latest does not support tools"
BAD_ROLE = "invalid role: {role}, must be one of [system, user, assistant, tool]"
UNREADABLE = "json: cannot unmarshal {found} into Go struct field {field} of type {type}"
BAD_IMAGE = "illegal base64 data at input byte {at}"
ROLES = ("system", "user", "assistant", "tool")
ASKS_FOR_A_QUERY = ("qwen3.5", "qwen3.6")
WITHOUT_TOOLS = ("gemma2", "gemma3", "phi3")
_KINDS: tuple[tuple[type, str], ...] = ((str, "string"), (list, "array"), (dict, "object"), (bool, "bool"))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Ollama's error for a request that it refuses."""

    message: str
    status: int = 400

    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        return {"error": self.message}

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer: none."""
        return {}


def judge_ollama(body: Any) -> Refusal | None:
    """Return the first fault that Ollama would report, or None if Ollama accepts the request."""
    if not isinstance(body, dict):
        return Refusal(NO_BODY)
    model = body.get("model")
    if not model:
        return Refusal(NO_MODEL)
    messages = body.get("messages") or []
    for words in _shape_faults(messages):
        return Refusal(words)
    if body.get("tools") and str(model).startswith(WITHOUT_TOOLS):
        return Refusal(NO_TOOLS.format(model=model))
    if str(model).startswith(ASKS_FOR_A_QUERY) and all(message["role"] != "user" for message in messages):
        return Refusal(NO_QUERY, 500)
    return None


def _shape_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        if message.get("role") not in ROLES:
            yield BAD_ROLE.format(role=message.get("role"))
        content = message.get("content")
        if content is not None and not isinstance(content, str):
            yield _unreadable(content, "ChatRequest.messages.content", "string")
        for image in message.get("images") or ():
            yield from _image_faults(image)
        for entry in message.get("tool_calls") or ():
            arguments = entry["function"].get("arguments")
            if not isinstance(arguments, dict):
                field = "ChatRequest.messages.tool_calls.function.arguments"
                yield _unreadable(arguments, field, "api.ToolCallFunctionArguments")


def _image_faults(image: Any) -> Iterator[str]:
    try:
        b64decode(image, validate=True)
    except (binascii.Error, ValueError):
        known = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
        at = next((place for place, letter in enumerate(image) if letter not in known), len(image))
        yield BAD_IMAGE.format(at=at)


def _unreadable(value: Any, field: str, kind: str) -> str:
    found = next((name for of, name in _KINDS if isinstance(value, of)), "number")
    return UNREADABLE.format(found=found, field=field, type=kind)
