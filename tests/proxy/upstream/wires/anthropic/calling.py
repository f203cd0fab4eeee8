"""Builds calls to models with Anthropic's API, and events of their streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from proxy.core.source import ANTHROPIC_MESSAGES, Source
from proxy.core.upstream_call import UpstreamCall
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import user

Item = dict[str, Any]


def call_to(
    model: str = "claude-sonnet-4-5",
    parameters: Mapping[str, Any] | None = None,
    messages: list[Item] | None = None,
    *,
    native: bool = False,
    **params: Any,
) -> UpstreamCall:
    """Return a call to *model*. With *native* the client speaks the Messages API."""
    deployment = deployment_of(f"anthropic/{model}", **{"api_key": "sk-ours", **params})
    history = [user("Hi.")] if messages is None else messages
    source = Source(ANTHROPIC_MESSAGES, b"{}", history) if native else None
    return UpstreamCall(deployment, history, parameters or {}, LIMITS, source=source)


def begin(**usage: int) -> Item:
    """Return the first event."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": []}
    return {"type": "message_start", "message": {**message, "usage": usage or {"input_tokens": 3}}}


def start(index: int, kind: str, **fields: Any) -> Item:
    """Return the first event of a block."""
    empty: Item = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}}.get(kind, {})
    return {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": kind, **empty, **fields},
    }


def piece(index: int, kind: str, **fields: Any) -> Item:
    """Return an event with a piece of a block."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", **fields}}


def stop(index: int) -> Item:
    """Return the last event of a block."""
    return {"type": "content_block_stop", "index": index}


def end(reason: str | None, **usage: int) -> Item:
    """Return the event with the stop reason."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 7}}


LAST: Item = {"type": "message_stop"}


def block(index: int, item: Item) -> list[Item]:
    """Return the events of one whole block, with one piece where the block has a text or an input."""
    kind = item["type"]
    if kind == "text":
        return [start(index, kind), piece(index, "text", text=item["text"]), stop(index)]
    if kind == "thinking":
        said = piece(index, "thinking", thinking=item["thinking"])
        signed = piece(index, "signature", signature=item["signature"])
        return [start(index, kind), said, signed, stop(index)]
    if kind == "tool_use":
        head = {name: item[name] for name in ("id", "name")}
        said = piece(index, "input_json", partial_json=json.dumps(item["input"], separators=(",", ":")))
        return [start(index, kind, **head, input={}), said, stop(index)]
    return [{"type": "content_block_start", "index": index, "content_block": item}, stop(index)]


def events_of(blocks: Iterable[Item], reason: str = "end_turn") -> list[Item]:
    """Return the events of a whole stream with these blocks."""
    inner = [event for index, item in enumerate(blocks) for event in block(index, item)]
    return [begin(), *inner, end(reason), LAST]
