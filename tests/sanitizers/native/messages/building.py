"""Builders of messages and blocks of Anthropic's API, for tests, and the messages of a chat history."""

from __future__ import annotations

import json
from typing import Any

from sanitizers.native.messages.envelope import SignedCall, pack_signature
from sanitizers.native.messages.project import MessagesProjection, project

Item = dict[str, Any]

TENANT = "tenant-a"

MARK = {"cache_control": {"type": "ephemeral"}}


def said(text: str, **extra: Any) -> Item:
    """Return a text block."""
    return {"type": "text", "text": text, **extra}


def used(call_id: Any, name: Any = "f", given: Any = None, **extra: Any) -> Item:
    """Return a call of a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {} if given is None else given, **extra}


def answered(call_id: Any, content: Any = "ok", **extra: Any) -> Item:
    """Return the result of a call."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **extra}


def thought(signature: str = "CLAUDE", text: str = "hm") -> Item:
    """Return a block of thinking."""
    return {"type": "thinking", "thinking": text, "signature": signature}


def sealed(call_id: str, signature: str = "SIG", tenant: str = TENANT, text: str = "") -> Item:
    """Return a block of thinking that carries the signature of a call of another model's."""
    return thought(pack_signature(SignedCall("abcde", call_id, signature), tenant), text)


def user(*content: Any) -> Item:
    """Return a message of the user with a text, or with blocks."""
    return {"role": "user", "content": _content(content)}


def assistant(*content: Any) -> Item:
    """Return a message of the model with a text, or with blocks."""
    return {"role": "assistant", "content": _content(content)}


def inline(text: str) -> Item:
    """Return a system message among the messages."""
    return {"role": "system", "content": text}


def projected(*items: Item, system: Any = None) -> MessagesProjection:
    """Return the projection of *items*."""
    return project([*items], system, tenant=TENANT)


def image(kind: str = "base64") -> Item:
    """Return an image: its bytes, an address, or a file at the provider."""
    sources: dict[str, Item] = {
        "base64": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
        "url": {"type": "url", "url": "https://example.com/a.png"},
        "file": {"type": "file", "file_id": "file_1"},
    }
    return {"type": "image", "source": sources[kind]}


def as_items(messages: list[dict[str, Any]]) -> list[Item]:
    """Return a chat history, which may be damaged, as messages of Anthropic's API, one for one."""
    return [_as_item(message) for message in messages]


def _as_item(message: dict[str, Any]) -> Item:
    role, content = message["role"], message.get("content")
    blocks = _as_blocks(content)
    if role == "tool":
        return user(answered(message.get("tool_call_id") or "", blocks))
    if role == "assistant":
        calls = []
        for call in message.get("tool_calls") or ():
            function = call.get("function") or call.get("custom") or {}
            calls.append(used(call.get("id"), function.get("name"), _as_input(function.get("arguments"))))
        return {"role": "assistant", "content": [*blocks, *calls]}
    return {"role": "system" if role in ("developer", "system") else "user", "content": blocks}


def _as_blocks(content: Any) -> list[Item]:
    if isinstance(content, str):
        return [said(content)]
    if not isinstance(content, list):
        return [] if content is None else [said(json.dumps(content))]
    return [
        said(part["text"])
        if isinstance(part, dict) and isinstance(part.get("text"), str)
        else said(json.dumps(part))
        for part in content
    ]


def _as_input(arguments: Any) -> Any:
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return arguments


def _content(content: tuple[Any, ...]) -> Any:
    return content[0] if len(content) == 1 and isinstance(content[0], str) else [*content]
