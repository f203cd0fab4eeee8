"""Writes stored items as the paths that list them answer, whatever their client left out.

A message has a type, a status and a list of parts. A call and its output have a status.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_WITH_STATUS = ("_call", "_call_output")


def listed_items(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return *items* in the form of OpenAI's lists."""
    return [listed_item(item) for item in items]


def listed_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return *item* in the form of OpenAI's lists.

    A message may be sent without a type, and its content as a text. OpenAI's clients expect parts in an answer, and a
    status of calls (``ResponseInputMessageContentList`` and ``ResponseFunctionToolCallItem`` of openai-python 3.54).
    """
    kind = item.get("type")
    if isinstance(kind, str) and kind.endswith(_WITH_STATUS):
        return {**item, "status": item.get("status") or "completed"}
    if (kind is not None and kind != "message") or "role" not in item:
        return dict(item)
    shown = {"status": "completed", **item, "type": "message"}
    content = shown.get("content")
    if isinstance(content, str):
        shown["content"] = [_part_of(content, shown["role"])]
    return shown


def _part_of(text: str, role: Any) -> dict[str, Any]:
    if role == "assistant":
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "input_text", "text": text}
