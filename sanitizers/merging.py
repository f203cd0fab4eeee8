"""Joining two messages of one role into one, without losing a text, a part or a call of either."""

from __future__ import annotations

from typing import Any

from sanitizers.changes import Change
from sanitizers.messages import Entries, Entry, Message, is_blank, tool_calls_of
from sanitizers.profiles import Profile

SEPARATOR = "\n\n"
"""What stands between two texts that become one."""


def merge_runs(entries: Entries, profile: Profile, step: str) -> tuple[Entries, tuple[Change, ...]]:
    """Join neighbours of one role where *profile* forbids them; *step* names the step in the changes.

    Assistant neighbours are joined wherever the first of them holds calls, at every provider: its results
    cannot follow it then, and parallel calls that a client split over several messages are one turn.
    Returns *entries* itself when there is nothing to join.
    """
    merged: list[Entry] = []
    changes: list[Change] = []
    last_role = None
    for entry in entries:
        role = entry.message["role"]
        if role == last_role and _must_join(merged[-1].message, role, profile):
            before = merged[-1]
            message, lost = join_messages(before.message, entry.message)
            merged[-1] = Entry(message, before.origin)
            changes.append(Change(step, "merged", entry.origin, f"{role}_run", ",".join(lost)))
        else:
            merged.append(entry)
            last_role = role
    return (tuple(merged), tuple(changes)) if changes else (entries, ())


def _must_join(first: Message, role: str, profile: Profile) -> bool:
    """Tell whether a message of *role* must be joined to *first*, which has the same role and stands before it."""
    if role == "assistant":
        return not profile.assistant_runs or bool(tool_calls_of(first))
    return role == "user" and not profile.user_runs


def join_messages(first: Message, second: Message) -> tuple[Message, list[str]]:
    """Return one message that says what both say, and the names of fields in which the first one won.

    Contents and calls are joined in order; every other field is kept from whichever message has it.
    """
    lost = [
        name
        for name in second
        if name not in ("role", "content", "tool_calls")
        and not is_blank(first.get(name))
        and second[name] != first[name]
    ]
    joined = {**second, **{name: value for name, value in first.items() if not is_blank(value)}}
    joined = {name: joined[name] for name in (*first, *second) if name in joined}
    if "content" in first or "content" in second:
        joined["content"] = join_contents(first.get("content"), second.get("content"))
    calls = tool_calls_of(first) + tool_calls_of(second)
    if calls:
        joined["tool_calls"] = calls
    return joined, lost


def join_contents(first: Any, second: Any) -> Any:
    """Return two message contents (null, text or parts) as one, in order."""
    if is_blank(first):
        return second if not is_blank(second) else first
    if is_blank(second):
        return first
    if isinstance(first, str) and isinstance(second, str):
        return first + SEPARATOR + second
    return _as_parts(first) + _as_parts(second)


def _as_parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
