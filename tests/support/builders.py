"""Builds chat messages in one short call each, so that a test can write a history on one line.

Tests read better when a history in the code looks like a conversation. The builders return plain dicts in OpenAI's chat
format, so that a test can damage the dicts by hand. Extra keyword arguments become extra fields of the message, or
overwrite its fields.
"""

from collections.abc import Iterable
from typing import Any

PNG_URL = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def text(value: str, **extra: Any) -> dict[str, Any]:
    """Return a text part."""
    return {"type": "text", "text": value, **extra}


def image(url: str = PNG_URL, **extra: Any) -> dict[str, Any]:
    """Return an image part. By default the image is one transparent pixel in a data URL."""
    return {"type": "image_url", "image_url": {"url": url}, **extra}


def system(content: Any = "You are helpful.", **extra: Any) -> dict[str, Any]:
    """Return a system message."""
    return {"role": "system", "content": content, **extra}


def developer(content: Any = "You are helpful.", **extra: Any) -> dict[str, Any]:
    """Return a developer message, which newer OpenAI models have in place of a system message."""
    return {"role": "developer", "content": content, **extra}


def user(content: Any = "Hello.", **extra: Any) -> dict[str, Any]:
    """Return a user message with a text or a list of parts."""
    return {"role": "user", "content": content, **extra}


def assistant(text: Any = None, calls: Iterable[Any] = (), **extra: Any) -> dict[str, Any]:
    """Return an assistant message. Without calls, the message has no `tool_calls`."""
    listed = list(calls)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if listed:
        message["tool_calls"] = listed
    return {**message, **extra}


def call(id: Any, name: Any = "f", arguments: Any = "{}", **extra: Any) -> dict[str, Any]:
    """Return one entry of `tool_calls`."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **extra}


def tool(id: Any, content: Any = "ok", **extra: Any) -> dict[str, Any]:
    """Return a tool message with the result of the call *id*."""
    return {"role": "tool", "tool_call_id": id, "content": content, **extra}


def legacy_call(name: Any = "f", arguments: Any = "{}", content: Any = None, **extra: Any) -> dict[str, Any]:
    """Return an assistant message in the legacy form, before `tool_calls`: one `function_call` without an id."""
    function_call = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": content, "function_call": function_call, **extra}


def legacy_result(name: Any = "f", content: Any = "ok", **extra: Any) -> dict[str, Any]:
    """Return the result of a legacy call: a message of role `function`, which names the function."""
    return {"role": "function", "name": name, "content": content, **extra}


def without(message: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return a copy of *message* without the fields *keys*."""
    return {key: value for key, value in message.items() if key not in keys}
