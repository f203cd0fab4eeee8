"""Writes an answer as OpenAI's full sequence of events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.emulated.answering import fragments

Json = dict[str, Any]

_TEXTS = {
    "function_call": ("arguments", "function_call_arguments"),
    "custom_tool_call": ("input", "custom_tool_call_input"),
}
"""The field of a call that comes in pieces, and the name of its events."""


def events_of(begun: Json, ended: Json) -> Iterator[Json]:
    """Yield the events of a stream. *begun* is the response object at its start, and *ended* the one at its end."""
    for number, event in enumerate(_events(begun, ended)):
        yield {"type": f"response.{event.pop('kind')}", **event, "sequence_number": number}


def _events(begun: Json, ended: Json) -> Iterator[Json]:
    yield {"kind": "created", "response": begun}
    yield {"kind": "in_progress", "response": begun}
    for index, item in enumerate(ended["output"]):
        at = {"output_index": index, "item_id": item.get("id")}
        is_cut = item.get("status") == "incomplete"
        draft = {**item, "status": "in_progress"} if "status" in item else item
        yield {"kind": "output_item.added", "output_index": index, "item": _emptied(draft)}
        yield from _inside(item, at, is_cut)
        if not is_cut:
            yield {"kind": "output_item.done", "output_index": index, "item": item}
    yield {"kind": ended["status"], "response": ended}


def _emptied(item: Json) -> Json:
    kind = item["type"]
    if kind in _TEXTS:
        return {**item, _TEXTS[kind][0]: ""}
    empty = {"message": "content", "reasoning": "summary"}.get(kind)
    return item if empty is None else {**item, empty: []}


def _inside(item: Json, at: Json, is_cut: bool) -> Iterator[Json]:
    kind = item["type"]
    if kind in _TEXTS:
        field, name = _TEXTS[kind]
        yield from _deltas(f"{name}.delta", at, item[field], obfuscation="x")
        if not is_cut:
            named = {"name": item["name"]} if kind == "function_call" else {}
            yield {"kind": f"{name}.done", **at, field: item[field], **named}
    elif kind == "message":
        yield from _parts(item["content"], at, is_cut)
    elif kind == "reasoning":
        for index, part in enumerate(item["summary"]):
            place = {**at, "summary_index": index}
            yield {"kind": "reasoning_summary_part.added", **place, "part": {**part, "text": ""}}
            yield from _deltas("reasoning_summary_text.delta", place, part["text"], obfuscation="y")
            yield {"kind": "reasoning_summary_text.done", **place, "text": part["text"]}
            yield {"kind": "reasoning_summary_part.done", **place, "part": part}
    elif kind.endswith("_call") and "status" in item and "action" not in item:
        yield {"kind": f"{kind}.in_progress", **at}
        yield {"kind": f"{kind}.completed", **at}


def _parts(parts: Sequence[Json], at: Json, is_cut: bool) -> Iterator[Json]:
    for index, part in enumerate(parts):
        place = {**at, "content_index": index}
        field, name = ("refusal", "refusal") if part["type"] == "refusal" else ("text", "output_text")
        more: Json = {} if field == "refusal" else {"logprobs": []}
        emptied = {**part, field: "", **({} if field == "refusal" else {"annotations": []})}
        yield {"kind": "content_part.added", **place, "part": emptied}
        yield from _deltas(f"{name}.delta", place, part[field], **more, obfuscation="z")
        for number, note in enumerate(part.get("annotations") or ()):
            noted = {**place, "annotation_index": number, "annotation": note}
            yield {"kind": "output_text.annotation.added", **noted}
        if not is_cut:
            yield {"kind": f"{name}.done", **place, field: part[field], **more}
            yield {"kind": "content_part.done", **place, "part": part}


def _deltas(kind: str, at: Json, text: str, **more: Any) -> Iterator[Json]:
    for piece in fragments(text):
        yield {"kind": kind, **at, "delta": piece, **more}
