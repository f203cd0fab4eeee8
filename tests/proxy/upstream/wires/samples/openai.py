"""Sample data of OpenAI's wire."""

from __future__ import annotations

import json
from typing import Any

from tests.proxy.upstream.wires.samples.sample import WireSample, write_events


def _read_texts(request: Any) -> list[str]:
    return [message["content"] for message in request["messages"]]


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "gpt-4o", "choices": [choice]}


_MESSAGE = {"role": "assistant", "content": "Good day."}

OPENAI_SAMPLE = WireSample(
    provider="openai",
    model="openai/gpt-4o",
    read_texts=_read_texts,
    key_header="Authorization",
    key_prefix="Bearer ",
    answer=json.dumps(
        {
            "id": "c1",
            "object": "chat.completion",
            "model": "gpt-4o",
            "choices": [{"index": 0, "message": _MESSAGE, "finish_reason": "stop"}],
        }
    ).encode(),
    stream=write_events(
        _chunk({"role": "assistant", "content": "Good "}), _chunk({"content": "day."}), _chunk({}, "stop")
    )
    + b"data: [DONE]\n\n",
    refusal=b'{"error": {"message": "Too many tokens.", "type": "invalid_request_error"}}',
    unsupported="top_k",
)
