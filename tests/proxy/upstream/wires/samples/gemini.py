"""Sample data of Gemini's wire."""

from __future__ import annotations

import json
from typing import Any

from tests.proxy.upstream.wires.samples.sample import WireSample, write_events


def _read_texts(request: Any) -> list[str]:
    turns = [request["systemInstruction"], *request["contents"]]
    return [part["text"] for turn in turns for part in turn["parts"]]


def _said(text: str, **ending: str) -> dict[str, Any]:
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}, **ending}
    return {"responseId": "r1", "modelVersion": "gemini-3.6-flash", "candidates": [candidate]}


_USAGE = {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8}

GEMINI_SAMPLE = WireSample(
    provider="gemini",
    model="gemini/gemini-3.6-flash",
    read_texts=_read_texts,
    key_header="x-goog-api-key",
    key_prefix="",
    answer=json.dumps(_said("Good day.", finishReason="STOP")).encode(),
    stream=write_events(_said("Good "), {**_said("day.", finishReason="STOP"), "usageMetadata": _USAGE}),
    refusal=b'{"error": {"code": 400, "message": "Too many tokens.", "status": "INVALID_ARGUMENT"}}',
    unsupported="parallel_tool_calls",
)
