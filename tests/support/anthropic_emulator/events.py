"""Writes the blocks of an answer as the events of a stream.

Source: platform.claude.com/docs/en/build-with-claude/streaming. Texts, thoughts and inputs come in pieces, and a
signature in a delta of its own. Redacted thoughts, results of Anthropic's tools and unknown blocks come whole.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.emulated.answering import fragments

Json = dict[str, Any]

CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


def events_of(message: Json, error: Json | None) -> Iterator[Json]:
    """Yield the events of a stream, from `message_start` to `message_stop`.

    With *error*, the stream breaks off in its last block, and ends with this error.
    """
    blocks: Sequence[Json] = message["content"]
    begun = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    begun.pop("stop_details", None)
    yield {"type": "message_start", "message": {**begun, "usage": {**message["usage"], "output_tokens": 1}}}
    for index, block in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": _begun(block)}
        if index == 0:
            yield {"type": "ping"}
        deltas = list(_deltas(block))
        breaks = error is not None and index == len(blocks) - 1
        for delta in deltas[: len(deltas) // 2] if breaks else deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        if not breaks:
            yield {"type": "content_block_stop", "index": index}
    if error is not None:
        yield error
        return
    ended = {
        name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details") if name in message
    }
    yield {"type": "message_delta", "delta": ended, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _begun(block: Json) -> Json:
    kind = block["type"]
    if kind in CALLS:
        return {**block, "input": {}}
    if kind == "thinking":
        return {**block, "thinking": "", "signature": ""}
    if kind == "text":
        return {**block, "text": "", **({"citations": []} if block.get("citations") is not None else {})}
    return block


def _deltas(block: Json) -> Iterator[Json]:
    kind = block["type"]
    if kind == "thinking":
        for piece in fragments(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif kind == "text":
        for piece in fragments(block["text"]):
            yield {"type": "text_delta", "text": piece}
        for citation in block.get("citations") or ():
            yield {"type": "citations_delta", "citation": citation}
    elif kind in CALLS and block["input"]:
        for piece in fragments(json.dumps(block["input"], ensure_ascii=False)):
            yield {"type": "input_json_delta", "partial_json": piece}
