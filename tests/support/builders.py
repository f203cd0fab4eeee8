"""Builds chat messages in one short call each, so that a test can write a history on one line.

Tests read better when a history looks like the conversation it is. The builders return plain wire dicts in OpenAI's
chat format, nothing else, so that a test can break them by hand. Extra keyword arguments become extra fields of the
message, or overwrite its fields.
"""

from collections.abc import Iterable
from typing import Any

PNG_URL = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def text(value: str, **extra: Any) -> dict[str, Any]:
    """Build a text part."""
    return {"type": "text", "text": value, **extra}


def image(url: str = PNG_URL, **extra: Any) -> dict[str, Any]:
    """Build an image part; by default one transparent pixel in a data URL."""
    return {"type": "image_url", "image_url": {"url": url}, **extra}


def system(content: Any = "You are helpful.", **extra: Any) -> dict[str, Any]:
    """Build a system message."""
    return {"role": "system", "content": content, **extra}


def developer(content: Any = "You are helpful.", **extra: Any) -> dict[str, Any]:
    """Build a developer message, the newer spelling of a system message."""
    return {"role": "developer", "content": content, **extra}


def user(content: Any = "Hello.", **extra: Any) -> dict[str, Any]:
    """Build a user message from a text or a list of parts."""
    return {"role": "user", "content": content, **extra}


def assistant(text: Any = None, calls: Iterable[Any] = (), **extra: Any) -> dict[str, Any]:
    """Build an assistant message; `tool_calls` is there only when there are calls."""
    listed = list(calls)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if listed:
        message["tool_calls"] = listed
    return {**message, **extra}


def call(id: Any, name: Any = "f", arguments: Any = "{}", **extra: Any) -> dict[str, Any]:
    """Build one entry of `tool_calls`."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **extra}


def tool(id: Any, content: Any = "ok", **extra: Any) -> dict[str, Any]:
    """Build the result of the call with this id."""
    return {"role": "tool", "tool_call_id": id, "content": content, **extra}


def legacy_call(name: Any = "f", arguments: Any = "{}", content: Any = None, **extra: Any) -> dict[str, Any]:
    """Build an assistant message in the form before `tool_calls`: one `function_call`, no id."""
    function_call = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": content, "function_call": function_call, **extra}


def legacy_result(name: Any = "f", content: Any = "ok", **extra: Any) -> dict[str, Any]:
    """Build the result of a legacy call: role `function`, matched by name."""
    return {"role": "function", "name": name, "content": content, **extra}


def without(message: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return a copy of the message that lacks these keys."""
    return {key: value for key, value in message.items() if key not in keys}
