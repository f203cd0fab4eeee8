"""Ids of the emulated answers. They are legal, and an id says which thought its item came with."""

from __future__ import annotations

import re

PREFIXES = {
    "apply_patch_call": "apc",
    "code_interpreter_call": "ci",
    "compaction": "cmp",
    "custom_tool_call": "ctc",
    "file_search_call": "fs",
    "function_call": "fc",
    "image_generation_call": "ig",
    "local_shell_call": "lsh",
    "message": "msg",
    "reasoning": "rs",
    "shell_call": "sh",
    "web_search_call": "ws",
}
"""The prefix of the ids of each type of item."""

_THOUGHT = re.compile(r"[a-z]+_emulated(\d{6})_\d+_t(\d+)")


def item_id(kind: str, sequence: int, index: int, thought: int | None = None) -> str:
    """Return the id of output item *index* of the answer *sequence*. *thought* is the index of its thought."""
    behind = "" if thought is None else f"_t{thought}"
    return f"{PREFIXES[kind]}_emulated{sequence:06d}_{index}{behind}"


def required_thought(id_: str) -> str | None:
    """Return the id of the thought that the item *id_* came with, or None."""
    found = _THOUGHT.fullmatch(id_)
    return None if found is None else item_id("reasoning", int(found[1]), int(found[2]))


def call_id(sequence: int, index: int) -> str:
    """Return the id of a call."""
    return f"call_emulated{sequence:06d}_{index}"
