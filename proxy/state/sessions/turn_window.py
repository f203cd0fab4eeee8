"""The newest turns of a stored conversation, so that a long one stays within the model's window.

A turn is a user's word and what follows. A window that moved with each turn would break the provider's prompt cache
each time. So the window keeps at least *turns* turns and at most half as many again, and then falls back to *turns*.
System and developer messages before the first user message stay in front.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

Item: TypeAlias = "Mapping[str, Any]"

_INSTRUCTING = ("system", "developer")  # a tuple, since a role may be any JSON


class Counted(NamedTuple):
    """The turns of a list of items, and whether its last item is a user's message."""

    turns: int
    asks: bool


START = Counted(0, asks=False)
"""The count before the first item."""


def is_message_of(item: Item, roles: Container[object]) -> bool:
    """Return True where *item* is a message of one of *roles*. An item without a type is a message."""
    return item.get("type", "message") == "message" and item.get("role") in roles


def count_turns(items: Iterable[Item], before: Counted = START) -> Counted:
    """Return the turns of the items before and of *items*. Users' messages in a row begin one turn together."""
    turns, asks = before
    for item in items:
        is_asking = is_message_of(item, ("user",))
        turns += is_asking and not asks
        asks = is_asking
    return Counted(turns, asks)


def dropped_turns(total: int, turns: int) -> int:
    """Return the number of the oldest turns of *total* that are left out. 0 for *turns* leaves out none.

    The number depends on *total* alone, so that every replica keeps the same turns.
    """
    most = turns + turns // 2
    if not turns or total <= most:
        return 0
    step = most - turns + 1
    return -(-(total - most) // step) * step


def drop_turns(items: Sequence[Item], dropped: int, before: Counted = START) -> list[Item]:
    """Return *items* without those of the first *dropped* turns of the conversation.

    *before* counts the items in front of *items*. Items in front of the first turn belong to turn 0.
    """
    if not dropped:
        return list(items)
    turns, asks = before
    for index, item in enumerate(items):
        is_asking = is_message_of(item, ("user",))
        turns += is_asking and not asks
        asks = is_asking
        if turns > dropped:
            return list(items[index:])
    return []


def leading_items(items: Iterable[Item]) -> list[Item]:
    """Return the system and developer messages that stand before the first user message of *items*."""
    leading = []
    for item in items:
        if is_message_of(item, ("user",)):
            break
        if is_message_of(item, _INSTRUCTING):
            leading.append(item)
    return leading
