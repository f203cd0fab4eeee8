"""Builds an answer in Anthropic's shape, as one message or as the events of a stream.

Source: docs.anthropic.com/en/api/messages and /messages-streaming. A thought comes first, with its signature in a
separate delta. The text follows, then the calls with their input as pieces of JSON.
"""

import json
from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.pairing import blocks_of
from tests.support.anthropic_emulator.signatures import sign
from tests.support.anthropic_emulator.thinking import is_thinking
from tests.support.emulated.answering import Prompt, Said, fragments, token_counts


def call_id(sequence: int, index: int) -> str:
    """Return a call id in Anthropic's form."""
    return f"toolu_01Emulated{sequence:06d}{index:02d}"


def prompt_in(body: dict[str, Any]) -> Prompt:
    """Return the parts of a request that decide its answer."""
    newest = body["messages"][-1]
    blocks = blocks_of(newest)
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    choice = body.get("tool_choice") or {}
    return Prompt(
        newest=" ".join(texts),
        after_result=any(block["type"] == "tool_result" for block in blocks) and not texts,
        from_user=newest["role"] == "user",
        tools=tuple((tool["name"], tool.get("input_schema") or {}) for tool in body.get("tools") or ()),
        may_call=choice.get("type") != "none",
        parallel=not choice.get("disable_parallel_tool_use"),
        forced=choice.get("name"),
        thinks=is_thinking(body),
    )


def message(body: dict[str, Any], said: Said, sequence: int) -> dict[str, Any]:
    """Return the answer to a request that does not stream."""
    asked, written = token_counts(body["messages"], said)
    return {
        **_head(body, sequence),
        "content": _blocks(said, sequence),
        "stop_reason": _stop_reason(said),
        "usage": _usage(asked, written),
    }


def events(body: dict[str, Any], said: Said, sequence: int) -> Iterator[dict[str, Any]]:
    """Yield the events of a stream, from `message_start` to `message_stop`."""
    asked, written = token_counts(body["messages"], said)
    opening = {**_head(body, sequence), "content": [], "stop_reason": None, "usage": _usage(asked, 1)}
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(_blocks(said, sequence)):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": _stop_reason(said), "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": written}}
    yield {"type": "message_stop"}


def _head(body: dict[str, Any], sequence: int) -> dict[str, Any]:
    return {
        "id": f"msg_01Emulated{sequence:06d}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "stop_sequence": None,
    }


def _blocks(said: Said, sequence: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if said.reasoning is not None:
        thought = {"type": "thinking", "thinking": said.reasoning, "signature": sign(said.reasoning)}
        blocks.append(thought)
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    for index, (name, arguments) in enumerate(said.calls):
        called = {"type": "tool_use", "id": call_id(sequence, index), "name": name, "input": dict(arguments)}
        blocks.append(called)
    return blocks


def _empty(block: dict[str, Any]) -> dict[str, Any]:
    blanks = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: blanks.get(key, value) if key != "type" else value for key, value in block.items()}


def _deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "thinking":
        for piece in fragments(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "text":
        for piece in fragments(block["text"]):
            yield {"type": "text_delta", "text": piece}
    else:
        for piece in fragments(json.dumps(block["input"], ensure_ascii=False)):
            yield {"type": "input_json_delta", "partial_json": piece}


def _stop_reason(said: Said) -> str:
    return "tool_use" if said.calls else "end_turn"


def _usage(asked: int, written: int) -> dict[str, int]:
    return {
        "input_tokens": asked,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": written,
    }
