"""Writes the events of a stored response again, for a client that lost its stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proxy.ingress.openai_responses.stream_output import StreamOutput

_TEXTS: Mapping[str, tuple[str, str]] = {
    "output_text": ("response.output_text", "text"),
    "refusal": ("response.refusal", "refusal"),
}
"""The events' prefix and the field with the words, by the type of a message's part."""

_ARGUMENTS: Mapping[str, tuple[str, str]] = {
    "custom_tool_call": ("response.custom_tool_call_input", "input"),
    "function_call": ("response.function_call_arguments", "arguments"),
}
"""The events' prefix and the field with the arguments, by the type of a call."""


def replay_events(response: Mapping[str, Any], after: int = -1) -> bytes:
    """Return the events of *response*, a finished response object, behind the sequence number *after*.

    Each text comes as one delta, since the pieces in which it came are not stored. So the numbers differ from those of
    the first stream, and a client that asks for the rest may get more than it lacks.
    """
    output = StreamOutput(response["id"])
    events = [event for number, event in enumerate(_events_of(response, output)) if number > after]
    return b"".join(events)


def _events_of(response: Mapping[str, Any], output: StreamOutput) -> Iterator[bytes]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None, "completed_at": None}
    begun |= {"error": None, "incomplete_details": None}
    yield output.write_event("response.created", {"response": begun})
    yield output.write_event("response.in_progress", {"response": begun})
    for index, item in enumerate(response["output"]):
        at = {"output_index": index}
        yield output.write_event("response.output_item.added", {**at, "item": _draft_of(item)})
        place = {"item_id": item.get("id"), **at}
        if item["type"] == "message":
            for number, part in enumerate(item.get("content") or ()):
                yield from _events_of_part(output, {**place, "content_index": number}, part)
        elif item["type"] == "reasoning":
            for number, part in enumerate(item.get("summary") or ()):
                yield from _events_of_summary(output, {**place, "summary_index": number}, part)
        elif item["type"] in _ARGUMENTS:
            prefix, field = _ARGUMENTS[item["type"]]
            named = {"name": item["name"]} if item["type"] == "function_call" else {}
            if item[field]:
                yield output.write_event(f"{prefix}.delta", {**place, "delta": item[field]})
            yield output.write_event(f"{prefix}.done", {**place, **named, field: item[field]})
        yield output.write_event("response.output_item.done", {**at, "item": item})
    if response["status"] == "failed":
        yield output.write_event("error", {**response["error"], "param": None})
    yield output.write_event(f"response.{response['status']}", {"response": response})


def _draft_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return *item* as it was when it began: without its content."""
    kind = item["type"]
    if kind == "message":
        return {**item, "status": "in_progress", "content": []}
    if kind == "reasoning":
        return {name: value for name, value in item.items() if name != "encrypted_content"} | {"summary": []}
    begun = {**item, "status": "in_progress"} if "status" in item else dict(item)
    return {**begun, _ARGUMENTS[kind][1]: ""} if kind in _ARGUMENTS else begun


def _events_of_part(
    output: StreamOutput, place: Mapping[str, Any], part: Mapping[str, Any]
) -> Iterator[bytes]:
    prefix, field = _TEXTS[part["type"]]
    logprobs = {"logprobs": part.get("logprobs") or []} if part["type"] == "output_text" else {}
    draft = {**part, field: ""} | ({"annotations": [], "logprobs": []} if logprobs else {})
    yield output.write_event("response.content_part.added", {**place, "part": draft})
    yield output.write_event(f"{prefix}.delta", {**place, "delta": part[field], **logprobs})
    yield output.write_event(f"{prefix}.done", {**place, field: part[field], **logprobs})
    yield output.write_event("response.content_part.done", {**place, "part": part})


def _events_of_summary(
    output: StreamOutput, place: Mapping[str, Any], part: Mapping[str, Any]
) -> Iterator[bytes]:
    begun = {**part, "text": ""}
    yield output.write_event("response.reasoning_summary_part.added", {**place, "part": begun})
    yield output.write_event("response.reasoning_summary_text.delta", {**place, "delta": part["text"]})
    yield output.write_event("response.reasoning_summary_text.done", {**place, "text": part["text"]})
    yield output.write_event("response.reasoning_summary_part.done", {**place, "part": part})
