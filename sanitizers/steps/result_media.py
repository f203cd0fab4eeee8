"""Move media that the model refuses in tool results to a user message after the block of results."""

from __future__ import annotations

from typing import Any

from sanitizers.changes import Change
from sanitizers.media.reading import may_stand_in_result
from sanitizers.messages import (
    MEDIA_PARTS,
    RESULT_ROLES,
    Entries,
    Entry,
    base_id,
    function_of,
    is_part_list,
    open_places,
    tool_calls_of,
)
from sanitizers.profiles import Profile
from sanitizers.synthetic import media_of_result, moved_from_result

NAME = "result_media"


def move_result_media(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Move media out of tool results into one user message directly after all results of their turn.

    Invariant: a result holds only media of the types that the profile lists for results. A result keeps its texts, and
    a short note replaces the media. The user message names the call of each medium. Such a history is legal, so that a
    second pass changes nothing.

    Source: "Image URLs are only allowed for messages with role 'user'" (OpenAI, and providers with the same API).
    Gemini before 3 (ag-ui#1334, gemini-cli#16137).

    The step runs after ``pairing``, which puts the results of a turn together, so that no block is split. It runs
    before ``final_merge``, since another user message may follow the new one. Returns *entries* itself when nothing was
    changed.
    """
    if not any(_media_to_move(entries[at], profile) for at in open_places(entries)):
        return entries, ()
    placed: list[Entry] = []
    changes: list[Change] = []
    moved: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for entry in entries:
        message = entry.message
        if message["role"] not in RESULT_ROLES:
            _close_block(placed, moved)
            moved = []
            if message["role"] == "assistant":
                names = {call["id"]: function_of(call).get("name") or "" for call in tool_calls_of(message)}
            placed.append(entry)
            continue
        held = _media_to_move(entry, profile)
        if not held:
            placed.append(entry)
            continue
        call_id = message.get("tool_call_id") or ""
        name = names.get(call_id) or message.get("name") or ""
        content: list[dict[str, Any]] = message["content"]
        for number in held:
            part = content[number]
            said = media_of_result(part["type"], name, base_id(call_id))
            moved += [{"type": "text", "text": said}, part]
        gone = frozenset(held)
        parts = [
            {"type": "text", "text": moved_from_result(part["type"])} if number in gone else part
            for number, part in enumerate(content)
        ]
        placed.append(Entry({**message, "content": parts}, entry.origin))
        changes.append(Change(NAME, "moved", entry.origin, "media_in_result", call_id))
    _close_block(placed, moved)
    return tuple(placed), tuple(changes)


def _media_to_move(entry: Entry, profile: Profile) -> list[int]:
    content = entry.message.get("content")
    if (
        content.__class__ is not list
        or entry.message["role"] not in RESULT_ROLES
        or not is_part_list(content)
    ):
        return []
    return [
        number
        for number, part in enumerate(content)
        if part["type"] in MEDIA_PARTS and not may_stand_in_result(part, profile)
    ]


def _close_block(placed: list[Entry], moved: list[dict[str, Any]]) -> None:
    if moved:
        placed.append(Entry({"role": "user", "content": moved}, placed[-1].origin))
