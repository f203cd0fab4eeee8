"""Builders of Responses items, for tests, and the items of a chat history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sanitizers.native.responses import Envelope, ResponsesProjection, pack_envelope, project, read_tools
from sanitizers.native.responses.tool_table import ToolTable

Item = dict[str, Any]

NO_TOOLS = read_tools(None, [])


def said(text: str, role: str = "user", **extra: Any) -> Item:
    """Return a message with one text."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **extra}


def called(call_id: Any, name: Any = "f", arguments: Any = "{}", **extra: Any) -> Item:
    """Return a call of a function."""
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **extra}


def answered(call_id: Any, output: Any = "ok", **extra: Any) -> Item:
    """Return the output of a call."""
    return {"type": "function_call_output", "call_id": call_id, "output": output, **extra}


def thought(sealed: str | None = None, summary: str = "", content: str = "", item_id: str = "rs_1") -> Item:
    """Return a reasoning item."""
    return {
        "type": "reasoning",
        "id": item_id,
        "summary": [{"type": "summary_text", "text": summary}] if summary else [],
        "content": [{"type": "reasoning_text", "text": content}] if content else None,
        "encrypted_content": sealed,
    }


def sealed(thoughts: str = "", text_signature: str | None = None, **signatures: str) -> str:
    """Return an envelope with the signatures of calls by their ids."""
    return pack_envelope(Envelope("gemini-3.6-flash", signatures, text_signature, thoughts))


def projected(*items: Item, table: ToolTable = NO_TOOLS) -> ResponsesProjection:
    """Return the projection of *items*."""
    return project(items, table)


def signature_of(holder: dict[str, Any]) -> str | None:
    """Return the signature of a call or a message of chat's."""
    extra = holder.get("extra_content")
    return None if extra is None else extra["google"]["thought_signature"]


def as_items(messages: list[dict[str, Any]]) -> list[Item]:
    """Return a chat history, which may be damaged, as items."""
    return [item for message in messages for item in _items(message)]


def _items(message: dict[str, Any]) -> Iterator[Item]:
    role, content = message["role"], message.get("content")
    if role in ("tool", "function"):
        output = _parts(content, "input_text")
        item = {"type": "function_call_output", "call_id": message.get("tool_call_id"), "output": output}
        yield {**item, "name": message["name"]} if "name" in message else item
    elif role == "assistant":
        if content is not None:
            yield {"type": "message", "role": role, "content": _parts(content, "output_text")}
        if message.get("refusal"):
            refusal = {"type": "refusal", "refusal": message["refusal"]}
            yield {"type": "message", "role": role, "content": [refusal]}
        for call in message.get("tool_calls") or ():
            function = call.get("function") or call.get("custom") or {}
            yield called(call.get("id"), function.get("name"), function.get("arguments"))
        if legacy := message.get("function_call"):
            yield called(None, legacy.get("name"), legacy.get("arguments"))
    else:
        yield {"role": role, "content": _parts(content, "input_text")}


def _parts(content: Any, text_type: str) -> Any:
    return [_part(part, text_type) for part in content] if isinstance(content, list) else content


def _part(part: Any, text_type: str) -> Any:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        return {"type": text_type, "text": part.get("text")}
    if kind == "image_url":
        image = part["image_url"]
        return {"type": "input_image", "image_url": image["url"] if isinstance(image, dict) else image}
    if kind == "file":
        return {"type": "input_file", **part["file"]}
    return part
