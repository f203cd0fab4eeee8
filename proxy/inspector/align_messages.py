"""Finds the original position of each message in a changed history.

Unchanged messages are the same objects, or at least equal. Unchanged messages divide the history into gaps. A new
message in a gap takes the position of the gap's first removed message of the same role and call id. Without such a
removed message, the new message has no position.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from proxy.core.json_text import write_json
from sanitizers import Message, Messages
from sanitizers.messages import Entries

Positioned: TypeAlias = Sequence[tuple[int | None, Message]]
"""A history, each message with its original position; None for a new message."""


def with_positions(messages: Messages) -> Positioned:
    """Return *messages*, the original history, with their positions."""
    return list(enumerate(messages))


def align_entries(base: Positioned, entries: Entries, before: Positioned) -> Positioned:
    """Return *entries*, made from the history of *base*, with their positions.

    *before* is the history one step earlier.

    An entry names the message that it was made from. Where several entries name one message, the unchanged entry takes
    the message's position. Without an unchanged entry, the first entry takes the position.
    """
    known = {id(message): origin for origin, message in before}
    taken = {known[id(entry.message)] for entry in entries if id(entry.message) in known}
    placed: list[tuple[int | None, Message]] = []
    for entry in entries:
        message, origin = entry.message, base[entry.origin][0]
        if id(message) in known:
            origin = known[id(message)]
        elif origin in taken:
            origin = None
        taken.add(origin)
        placed.append((origin, message))
    return placed


def align_messages(before: Positioned, messages: Messages) -> Positioned:
    """Return *messages*, which were made from *before* in the same order, with their original positions.

    A message that equals a message of *before* is replaced by that message. Such a message was only built again, and is
    not a change.
    """
    same = _find_same(before, messages)
    placed: list[tuple[int | None, Message]] = []
    start = 0
    for message, found, end in zip(messages, same, _find_ends(same, len(before)), strict=True):
        if found is not None:
            start = max(start, found + 1)
            placed.append(before[found])
            continue
        near = next(
            (here for here in range(start, end) if _kind(before[here][1]) == _kind(message)),
            None,
        )
        if near is None:
            placed.append((None, message))
        else:
            start = near + 1
            placed.append((before[near][0], message))
    return placed


def _find_same(before: Positioned, messages: Messages) -> list[int | None]:
    """Return the index in *before* of each message: of the same object, else of the next equal message."""
    at = {id(message): position for position, (_, message) in enumerate(before)}
    same = [at.get(id(message)) for message in messages]
    if None not in same:
        return same
    taken = set(same)
    alike: dict[bytes, deque[int]] = defaultdict(deque)
    for position, (_, message) in enumerate(before):
        if position not in taken:
            alike[write_json(message)].append(position)
    start = 0
    for position, end in enumerate(_find_ends(same, len(before))):
        found = same[position]
        if found is None:
            again = alike.get(write_json(messages[position]), deque())
            while again and again[0] < start:
                again.popleft()
            found = same[position] = again.popleft() if again and again[0] < end else None
        if found is not None:
            start = max(start, found + 1)
    return same


def _find_ends(same: Sequence[int | None], end: int) -> list[int]:
    """Return for each message the index of the next unchanged message, or *end*."""
    ends = [end] * len(same)
    for position in range(len(same) - 1, -1, -1):
        ends[position] = end
        found = same[position]
        if found is not None:
            end = found
    return ends


def _kind(message: Mapping[str, Any]) -> tuple[object, object]:
    return message.get("role"), message.get("tool_call_id")
