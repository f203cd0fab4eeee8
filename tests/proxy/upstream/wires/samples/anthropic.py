"""Sample data of Anthropic's wire."""

from __future__ import annotations

import json
from typing import Any

from tests.proxy.upstream.wires.samples.sample import WireSample, write_events


def _read_texts(request: Any) -> list[str]:
    blocks = [*request["system"], *(block for turn in request["messages"] for block in turn["content"])]
    return [block["text"] for block in blocks]


def _message(*texts: str, reason: str | None) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": text} for text in texts],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 3},
    }


def _piece(text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


ANTHROPIC_SAMPLE = WireSample(
    provider="anthropic",
    model="anthropic/claude-sonnet-4-5",
    read_texts=_read_texts,
    key_header="x-api-key",
    key_prefix="",
    answer=json.dumps(_message("Good ", "day.", reason="end_turn")).encode(),
    stream=write_events(
        {"type": "message_start", "message": _message(reason=None)},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        _piece("Good "),
        {"type": "ping"},
        _piece("day."),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ),
    refusal=b'{"type": "error", "error": {"type": "invalid_request_error", "message": "Too many tokens."}}',
    unsupported="seed",
)
