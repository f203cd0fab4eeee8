"""Writes stored items as the paths that list them answer: a message has a list of parts, whatever its client sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def listed_items(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return *items* in the form of OpenAI's lists."""
    return [listed_item(item) for item in items]


def listed_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return *item* in the form of OpenAI's lists. An item of another type than ``message`` is returned as it is.

    A message may be sent without a type, and its content as a text. OpenAI's clients expect parts in an answer
    (``ResponseInputMessageContentList`` of openai-python 3.54).
    """
    if item.get("type", "message") != "message" or "role" not in item:
        return dict(item)
    shown = {"type": "message", "status": "completed", **item}
    content = shown.get("content")
    if isinstance(content, str):
        shown["content"] = [_part_of(content, shown["role"])]
    return shown


def _part_of(text: str, role: Any) -> dict[str, Any]:
    if role == "assistant":
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "input_text", "text": text}
