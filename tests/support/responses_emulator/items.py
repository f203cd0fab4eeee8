"""Judges each item of ``input`` by itself: its type, its required fields, its ids and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.openai_emulator.judging import Refusal
from tests.support.responses_emulator import words
from tests.support.responses_emulator.fields import tool_faults
from tests.support.responses_emulator.ids import PREFIXES

Item = Mapping[str, Any]

REQUIRED: dict[str, tuple[str, ...]] = {
    "additional_tools": ("role", "tools"),
    "apply_patch_call": ("call_id", "operation"),
    "apply_patch_call_output": ("call_id", "status"),
    "code_interpreter_call": ("id",),
    "compaction": ("encrypted_content",),
    "compaction_trigger": (),
    "computer_call": ("call_id",),
    "computer_call_output": ("call_id", "output"),
    "configuration_update": (),
    "custom_tool_call": ("call_id", "name", "input"),
    "custom_tool_call_output": ("call_id", "output"),
    "file_search_call": ("id",),
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("output",),
    "image_generation_call": ("id",),
    "item_reference": ("id",),
    "local_shell_call": ("id", "call_id", "action"),
    "local_shell_call_output": ("id", "output"),
    "mcp_approval_request": ("id",),
    "mcp_approval_response": (),
    "mcp_call": ("id",),
    "mcp_list_tools": ("id",),
    "message": ("role", "content"),
    "program": (),
    "program_output": (),
    "reasoning": ("summary",),
    "shell_call": ("call_id", "action"),
    "shell_call_output": ("call_id", "output"),
    "tool_search_call": (),
    "tool_search_output": (),
    "web_search_call": ("id",),
}
"""The required fields of each type. ``id`` of a thought is documented as required, and is not asked for."""

STRINGS = {"arguments", "call_id", "input", "name"}
ROLES = ("assistant", "system", "developer", "user")
SEARCHES = ("search", "open_page", "find_in_page")
GIVEN_PARTS = ("input_text", "input_image", "output_text", "refusal", "input_file", "input_audio")
OWN_PARTS = ("output_text", "refusal")
_ID = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_LONGEST_ID = 64


def type_of(item: Item) -> str:
    """Return the type of *item*. Without a type it is a reference if it has an id alone, and else a message."""
    if "type" in item:
        return str(item["type"])
    return "item_reference" if "id" in item and "role" not in item else "message"


def item_faults(items: Any) -> Iterator[Refusal]:
    """Yield the faults of each item by itself."""
    for index, item in enumerate(items):
        path = f"input[{index}]"
        if not isinstance(item, dict):
            yield words.wrong_type(path, "an object", item)
            continue
        kind = type_of(item)
        if kind not in REQUIRED:
            yield words.unsupported(f"{path}.type", kind, tuple(REQUIRED))
            continue
        for name in REQUIRED[kind]:
            if item.get(name) is None:
                yield words.missing(f"{path}.{name}")
        for name in STRINGS & item.keys():
            if not isinstance(item[name], str):
                yield words.wrong_type(f"{path}.{name}", "a string", item[name])
        yield from _id_faults(path, item, kind)
        yield from _inner_faults(path, item, kind)


def _id_faults(path: str, item: Item, kind: str) -> Iterator[Refusal]:
    found = item.get("id")
    at = f"{path}.id"
    if found is not None:
        if not isinstance(found, str):
            yield words.wrong_type(at, "a string", found)
        elif not _ID.fullmatch(found):
            yield Refusal(words.ILLEGAL_ID.format(path=at, id=found), at, "invalid_value")
        elif len(found) > _LONGEST_ID:
            text = words.TOO_LONG.format(path=at, length=len(found))
            yield Refusal(text, at, "string_above_max_length")
        elif not found.startswith(f"{PREFIXES.get(kind, '')}"):
            text = words.WRONG_PREFIX.format(path=at, id=found, prefix=PREFIXES[kind])
            yield Refusal(text, at, "invalid_value")
    call_id = item.get("call_id")
    at = f"{path}.call_id"
    if call_id == "":
        yield Refusal(words.EMPTY.format(path=at), at, "empty_string")
    elif isinstance(call_id, str) and len(call_id) > _LONGEST_ID:
        text = words.TOO_LONG.format(path=at, length=len(call_id))
        yield Refusal(text, at, "string_above_max_length")


def _inner_faults(path: str, item: Item, kind: str) -> Iterator[Refusal]:
    if kind == "message":
        role = item["role"]
        if role not in ROLES:
            yield words.unsupported(f"{path}.role", role, ROLES)
        yield from _part_faults(
            f"{path}.content", item["content"], OWN_PARTS if role == "assistant" else GIVEN_PARTS
        )
    elif kind == "web_search_call":
        action = item.get("action") or {}
        if action.get("type", SEARCHES[0]) not in SEARCHES:
            yield words.unsupported(f"{path}.action.type", action["type"], SEARCHES)
    elif kind == "function_call_output" and "call_id" not in item and not item.get("name"):
        yield words.missing(f"{path}.call_id")
    elif kind == "additional_tools":
        yield from tool_faults(f"{path}.tools", item["tools"])


def _part_faults(path: str, content: Any, supported: tuple[str, ...]) -> Iterator[Refusal]:
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield words.wrong_type(path, "one of a string or array of objects", content)
        return
    for index, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in supported:
            yield words.unsupported(f"{path}[{index}].type", kind, supported)
