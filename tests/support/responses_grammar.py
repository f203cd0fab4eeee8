"""Checks a stream of the Responses API against its grammar, from the bytes that a client gets.

The checker shares no code with the writer. It knows what each of nine real clients needs (2026-11): equal ids, whole
items in `output_item.done`, the whole output in the last event, arguments both as deltas and whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

KEYS = frozenset(
    {
        "id",
        "object",
        "created_at",
        "completed_at",
        "status",
        "incomplete_details",
        "model",
        "previous_response_id",
        "instructions",
        "output",
        "error",
        "tools",
        "tool_choice",
        "truncation",
        "parallel_tool_calls",
        "text",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
        "top_logprobs",
        "temperature",
        "reasoning",
        "user",
        "usage",
        "max_output_tokens",
        "max_tool_calls",
        "store",
        "background",
        "service_tier",
        "metadata",
        "safety_identifier",
        "prompt_cache_key",
    }
)
"""The 32 keys of Open Responses' `ResponseResource`."""

NOT_NULL = frozenset(
    {
        "id",
        "object",
        "created_at",
        "status",
        "model",
        "output",
        "truncation",
        "text",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
        "top_logprobs",
        "temperature",
        "store",
        "background",
        "service_tier",
        "metadata",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
    }
)
PREFIXES = {
    "apply_patch_call": "apc_",
    "compaction": "cmp_",
    "custom_tool_call": "ctc_",
    "function_call": "fc_",
    "local_shell_call": "lsh_",
    "message": "msg_",
    "reasoning": "rs_",
    "shell_call": "sh_",
    "web_search_call": "ws_",
}
LAST = {"response.completed": "completed", "response.incomplete": "incomplete", "response.failed": "failed"}
_LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PART_EVENTS = {
    "response.output_text.delta",
    "response.output_text.done",
    "response.output_text.annotation.added",
    "response.refusal.delta",
    "response.refusal.done",
}

Event = Mapping[str, Any]


def events_of(raw: bytes) -> list[dict[str, Any]]:
    """Return the decoded events of a stream, without comments. Raises `AssertionError` for another framing."""
    events = []
    assert raw == b"" or raw.endswith(b"\n\n"), raw[-50:]
    for block in raw.decode().split("\n\n")[:-1]:
        if block.startswith(":"):
            continue
        lines = block.split("\n")
        assert len(lines) == 2, block
        name, data = lines
        assert name.startswith("event: "), block
        assert data.startswith("data: "), block
        event = json.loads(data.removeprefix("data: "))
        assert event["type"] == name.removeprefix("event: "), block
        events.append(event)
    return events


def find_response_faults(response: Mapping[str, Any]) -> list[str]:
    """Return the faults of a response object by itself."""
    faults = [f"key {name} is missing" for name in KEYS - response.keys()]
    faults += [f"key {name} is null" for name in NOT_NULL if response.get(name) is None]
    if response.get("object") != "response" or "format" not in (response.get("text") or {}):
        faults.append("object or text.format")
    status = response.get("status")
    if (response.get("error") is not None) != (status == "failed"):
        faults.append("an error says failed, and nothing else does")
    if (response.get("incomplete_details") is not None) != (status == "incomplete"):
        faults.append("details say incomplete, and nothing else does")
    if (response.get("completed_at") is not None) != (status == "completed"):
        faults.append("completed_at is set where the response is completed")
    for index, item in enumerate(response.get("output") or ()):
        if not str(item.get("id")).startswith(PREFIXES.get(item.get("type"), "?")):
            faults.append(f"output[{index}] has an id without its prefix")
        if status == "completed" and item.get("status") not in (None, "completed"):
            faults.append(f"output[{index}] is not completed in a completed response")
        if item.get("type") == "message" and not any(map(_said, item["content"])):
            faults.append(f"output[{index}] is an empty message")
    return faults


def _said(part: Mapping[str, Any]) -> str:
    return str(part.get("text") or part.get("refusal") or "")


def find_stream_faults(raw: bytes, *, complete: bool = True, sealed: bool = True) -> list[str]:
    """Return the faults of a stream.

    With *complete* false, the last event may be missing. With *sealed* false, a thought may have no encrypted content,
    as a provider sends it that was not asked for the content.
    """
    reader = _Reader(sealed)
    for number, event in enumerate(events_of(raw)):
        reader.at = f"{number} {event['type']}"
        reader.expect(event.get("sequence_number") == number, "the sequence number")
        reader.read(event)
    if complete:
        reader.expect(reader.ended, "there is no last event")
    return reader.faults


class _Reader:
    """The state of a stream so far."""

    def __init__(self, sealed: bool) -> None:
        self.faults: list[str] = []
        self.at = ""
        self._sealed = sealed
        self.ended = False
        self._step = 0
        self._id = ""
        self._done: dict[int, Any] = {}
        self._begun: list[str] = []  # the types of all items that began
        self._open: Any = None  # the draft of the open item
        self._texts: dict[str, str] = {}  # what deltas added up to, within the open item
        self._whole: dict[str, str] = {}  # the same texts, as done events said them
        self._parts: list[Any] = []
        self._part: Any = None
        self._notes: list[Any] = []
        self._failed = False

    def expect(self, holds: object, rule: str) -> None:
        if not holds:
            self.faults.append(f"{self.at}: {rule}")

    def read(self, event: Event) -> None:
        kind = event["type"]
        self.expect(not self.ended, "an event behind the last one")
        self.expect(not self._failed or kind == "response.failed", "an event behind error")
        if self._step < 2:
            expected = ("response.created", "response.in_progress")[self._step]
            self.expect(kind == expected, f"{expected} comes first")
            self._read_start(event.get("response") or {})
            self._step += 1
        elif kind == "error":
            self.expect({"code", "message", "param"} <= event.keys(), "an error is flat")
            self._failed = True
        elif kind in LAST:
            self._read_last(event["response"], LAST[kind])
        elif kind == "response.output_item.added":
            self._read_added(event["output_index"], event["item"])
        elif kind == "response.output_item.done":
            self._read_done(event["output_index"], event["item"])
        else:
            self._read_inner(kind, event)

    def _read_start(self, response: Event) -> None:
        self._id = self._id or response.get("id", "")
        self.expect(response.get("id") == self._id, "the id changes")
        started = response.get("status") == "in_progress" and response.get("output") == []
        self.expect(started and response.get("usage") is None, "a response begins empty")
        self.faults += [f"{self.at}: {fault}" for fault in find_response_faults(response)]

    def _read_added(self, index: int, item: Event) -> None:
        left = self._open is not None and self._open["type"] == "function_call"  # its arguments were cut off
        self.expect(self._open is None or left, "an item begins within another one")
        self.expect(index == len(self._begun), "the index of a new item")
        kind = item["type"]
        self._begun.append(kind)
        self.expect(kind in PREFIXES and item["id"].startswith(PREFIXES[kind]), "the prefix of an id")
        self.expect(_LEGAL.fullmatch(item["id"]), "an id is legal")
        empty = {"message": "content", "reasoning": "summary", "function_call": "arguments"}.get(kind)
        self.expect(empty is None or not item[empty], "an item begins empty")
        self.expect(item.get("status", "in_progress") == "in_progress", "an item begins in progress")
        self._open, self._texts, self._whole = item, {}, {}
        self._parts, self._part, self._notes = [], None, []

    def _read_inner(self, kind: str, event: Event) -> None:
        self.expect(self._open is not None, "an event outside of items")
        opened = self._open or {}
        own = event.get("item_id") == opened.get("id") and event.get("output_index") == len(self._begun) - 1
        self.expect(own, "an event has its item's id and index")
        reader = _INNER.get((opened.get("type", ""), kind))
        is_of_server = kind.startswith(
            f"response.{opened.get('type')}."
        )  # the progress of a tool that the server runs
        self.expect(reader is not None or is_of_server, "an event of another item's type")
        if reader is not None:
            reader(self, kind, event)

    def read_part(self, kind: str, event: Event) -> None:
        part, index = event["part"], event["content_index"]
        if kind.endswith("added"):
            self.expect(self._part is None and index == len(self._parts), "a part begins in its place")
            self.expect(not _said(part), "a part begins empty")
            self._part, self._notes = part, []
            self._texts.pop("part", None)
            self._whole.pop("part", None)
            return
        self.expect(self._part is not None and index == len(self._parts), "a part ends that is open")
        self.expect(self._whole.get("part") == _said(part), "a part is as its text")
        self.expect(part.get("annotations", []) == self._notes, "a part has its annotations")
        self._parts.append(part)
        self._part = None

    def read_text(self, kind: str, event: Event) -> None:
        wanted = "refusal" if ".refusal." in kind else "output_text"
        opened = self._part is not None and self._part["type"] == wanted
        self.expect(opened and event["content_index"] == len(self._parts), "a text in an open part")
        if kind.endswith("annotation.added"):
            self.expect(event["annotation_index"] == len(self._notes), "the index of an annotation")
            self._notes.append(event["annotation"])
            return
        if wanted == "output_text":
            self.expect(isinstance(event.get("logprobs"), list), "logprobs are a list")
        self._add("part", kind, event, event.get("text", event.get("refusal")))

    def read_summary_part(self, kind: str, event: Event) -> None:
        self.expect(event["summary_index"] == 0, "one part of the summary")
        if kind.endswith("added"):
            self.expect(self._part is None and "part" not in self._texts, "one part of the summary")
            self._part = event["part"]
            return
        self.expect(
            self._part is not None and self._whole.get("part") == event["part"]["text"], "a whole part"
        )
        self._parts.append(event["part"])
        self._part = None

    def read_summary_text(self, kind: str, event: Event) -> None:
        self.expect(self._part is not None and event["summary_index"] == 0, "a summary's text in its part")
        self._add("part", kind, event, event.get("text"))

    def read_input(self, kind: str, event: Event) -> None:
        whole = event.get("arguments", event.get("input"))
        self._add("input", kind, event, whole)
        if kind == "response.function_call_arguments.done":
            self.expect(event.get("name") == self._open["name"], "the name of a call")

    def _add(self, name: str, kind: str, event: Event, whole: Any) -> None:
        self.expect(name not in self._whole, "a text goes on behind its end")
        if kind.endswith("delta"):
            self.expect(event["delta"], "an empty delta")
            self._texts[name] = self._texts.get(name, "") + event["delta"]
        else:
            self.expect(whole == self._texts.get(name, ""), "a whole text is the sum of its deltas")
            self._whole[name] = whole

    def _read_done(self, index: int, item: Event) -> None:
        opened = self._open or {}
        self.expect(index == len(self._begun) - 1, "the index of an item that ends")
        same = all(
            item.get(name) == opened.get(name) for name in ("id", "type", "call_id", "name", "namespace")
        )
        self.expect(same, "an item ends as it began")
        self.expect(self._part is None, "an item ends within a part")
        kind = item["type"]
        if kind == "message":
            self.expect(item["content"] == self._parts and self._parts, "a message has its parts")
            self.expect(item["role"] == "assistant", "a message is the assistant's")
            self.expect(item["status"] in ("completed", "incomplete"), "a message ends")
        elif kind == "reasoning":
            self.expect(item["summary"] == self._parts, "a reasoning item has its summary")
            sealed = item.get("encrypted_content") or not self._sealed
            self.expect(sealed, "a reasoning item has its envelope")
        elif kind == "compaction":
            self.expect(item.get("encrypted_content"), "a compaction has its summary")
        else:
            self.expect(item["status"] == "completed", "a call that ends is whole")
            name = {"custom_tool_call": "input", "function_call": "arguments"}.get(kind)
            self.expect(name is None or self._whole.get("input") == item[name], "a call has its whole input")
        self._done[index] = item
        self._open = None

    def _read_last(self, response: Event, status: str) -> None:
        self.ended = True
        self.expect(response["id"] == self._id, "the id changes")
        self.expect(response["status"] == status, "the status is the event's")
        self.expect(self._failed == (status == "failed"), "error comes before failed, and only there")
        self.faults += [f"{self.at}: {fault}" for fault in find_response_faults(response)]
        output = response["output"]
        if status != "failed":
            self.expect(len(output) == len(self._begun), "the output has all items")
        if status == "completed":
            self.expect(len(self._done) == len(self._begun), "all items ended")
        for index, item in enumerate(output):
            if index in self._done:
                self.expect(item == self._done[index], f"output[{index}] is the item that ended")
            else:
                self.expect(item.get("status") == "incomplete", f"output[{index}] did not end")
                self.expect(item["type"] == self._begun[index], f"output[{index}] is the item that began")
        if status == "incomplete":
            for item in self._done.values():
                self.expect(
                    item["type"] != "function_call" or _is_object(item["arguments"]), "a cut call ended"
                )


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


_SUMMARY = "response.reasoning_summary_"
_INNER: dict[tuple[str, str], Callable[[_Reader, str, Event], None]] = {
    **{("message", f"response.content_part.{end}"): _Reader.read_part for end in ("added", "done")},
    **{("message", kind): _Reader.read_text for kind in _PART_EVENTS},
    **{("reasoning", f"{_SUMMARY}part.{end}"): _Reader.read_summary_part for end in ("added", "done")},
    **{("reasoning", f"{_SUMMARY}text.{end}"): _Reader.read_summary_text for end in ("delta", "done")},
    **{
        ("function_call", f"response.function_call_arguments.{end}"): _Reader.read_input
        for end in ("delta", "done")
    },
    **{
        ("custom_tool_call", f"response.custom_tool_call_input.{end}"): _Reader.read_input
        for end in ("delta", "done")
    },
}
"""The reader of each event within an item, by the item's type."""
