"""Cuts a whole answer into the chunks of a stream, for providers and servers that send no stream."""

from __future__ import annotations

from typing import Any

from proxy.core.source import SOURCE
from proxy.core.upstream_call import Answer, Chunk


def whole_as_chunks(answer: Answer) -> list[Chunk]:
    """Return the chunks of *answer*: for each choice its message and its finish reason, then the usage.

    A choice without a finish reason has none in the chunks either. The provider's own body, kept under ``SOURCE``, is
    left out, since that body is not an event of a stream.
    """
    left = ("choices", "usage", "object", SOURCE)
    kept = {name: value for name, value in answer.items() if name not in left}
    head = {**kept, "object": "chat.completion.chunk"}
    chunks: list[Chunk] = []
    for at, choice in enumerate(answer.get("choices") or ()):
        index = choice.get("index")
        index = index if isinstance(index, int) else at
        said: dict[str, Any] = {
            "index": index,
            "delta": _delta(choice.get("message") or {}),
            "finish_reason": None,
        }
        if choice.get("logprobs") is not None:
            said["logprobs"] = choice["logprobs"]
        end = {"index": index, "delta": {}, "finish_reason": choice.get("finish_reason")}
        chunks += [{**head, "choices": [said]}, {**head, "choices": [end]}]
    if answer.get("usage"):
        chunks.append({**head, "choices": [], "usage": answer["usage"]})
    return chunks


def _delta(message: dict[str, Any]) -> dict[str, Any]:
    """Return *message* as one delta. In a stream each tool call has an ``index``."""
    delta = {name: value for name, value in message.items() if value is not None}
    if delta.get("tool_calls"):
        delta["tool_calls"] = [{**call, "index": at} for at, call in enumerate(delta["tool_calls"])]
    return delta
