"""Claude's thinking in the open turn: the calls and results at the end of a history that the model still answers.

Claude wants this thinking back as it was ("`thinking` or `redacted_thinking` blocks in the latest assistant message
cannot be modified", claude-code#19539). Where that cannot be, a request without any thinking is accepted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sanitizers.changes import Change
from sanitizers.native.messages.changed_messages import (
    STEP,
    THINKING,
    ChangedMessages,
    blocks_of,
    with_blocks,
)
from sanitizers.native.messages.envelope import is_own
from sanitizers.native.messages.violations import seal_of
from sanitizers.native.protocol import Item, Items
from sanitizers.work_limit import metered


def loses_thinking(before: Items, after: Items, thinking: Any) -> bool:
    """Tell whether *after*, which was made of *before*, cannot be sent with thinking.

    It cannot where signed thinking of the open turn is gone or stands elsewhere. With a budget (the field *thinking* of
    type ``enabled``), the open turn must begin with thinking, and so must an answer that the model goes on with:
    "Expected `thinking` or `redacted_thinking`, but found `tool_use`" (CLIProxyAPI#928).
    """
    if after is not before and (turn := _open_turn(after)) and _seals(_open_turn(before)) != _seals(turn):
        return True  # nearly all messages go out as they came
    is_budgeted = isinstance(thinking, dict) and thinking.get("type") == "enabled"
    first = _first_of_last_turn(after) if is_budgeted else None
    return first is not None and first.get("type") not in THINKING


def drop_thinking(before: ChangedMessages) -> ChangedMessages:
    """Return *before* without any thinking. Messages of thinking alone are dropped.

    The request must ask for none where its turn is open: Claude would miss the thinking of the turn.
    """
    items: list[Item] = []
    origins: list[int] = []
    changes = list(before.changes)
    for index, item in enumerate(metered(before.items)):
        blocks = blocks_of(item)
        kept = [block for block in metered(blocks) if block.get("type") not in THINKING]
        origin = before.origin_of(index)
        if len(kept) == len(blocks):
            items.append(item)
        else:
            changes.append(Change(STEP, "dropped", origin, "thinking_dropped"))
            if not kept:
                continue
            items.append(with_blocks(item, kept))
        origins.append(origin)
    changes.sort(key=lambda change: change.index)
    return replace(
        before,
        items=items,
        changes=tuple(changes),
        origins=tuple(origins),
        drops_thinking=bool(_open_turn(items)) or _is_of_model(items),
    )


def _is_of_model(items: Items) -> bool:
    """Tell whether *items* end with an answer that the model goes on with."""
    return bool(items) and items[-1].get("role") == "assistant"


def _first_of_last_turn(items: Items) -> Item | None:
    """Return the first block of the model behind the last words of the user, or None where it has said nothing."""
    first: Item | None = None
    for item in reversed(items):
        blocks = blocks_of(item)
        if item.get("role") == "assistant":
            first = blocks[0] if blocks else first
        elif item.get("role") == "user" and not any(
            block.get("type") == "tool_result" for block in metered(blocks)
        ):
            break
    return first


def _open_turn(items: Items) -> list[Item]:
    """Return the messages of the model in the open turn, or none of them where it calls no tools.

    Words of the user end a turn, unless they stand in the place of results that are missing.
    """
    turn: list[Item] = []
    is_ended = False
    for item in reversed(items):
        role = item.get("role")
        if role == "assistant":
            has_calls = _has_calls(item)
            if not has_calls and (is_ended or not turn):
                break
            is_ended = False
            turn.append(item)
        elif role == "user":
            is_ended = not any(block.get("type") == "tool_result" for block in metered(blocks_of(item)))
    turn.reverse()
    return turn


def _has_calls(item: Item) -> bool:
    return any(block.get("type") == "tool_use" for block in metered(blocks_of(item)))


def _seals(turn: list[Item]) -> list[Any]:
    """Return what Claude signed or hid in *turn*, each with the number of calls before it."""
    found: list[Any] = []
    calls = 0
    for item in turn:
        for block in metered(blocks_of(item)):
            kind = block.get("type")
            calls += kind == "tool_use"
            if kind in THINKING:
                seal = seal_of(block)
                if isinstance(seal, str) and seal and not is_own(seal):
                    found.append((seal, calls))
    return found
