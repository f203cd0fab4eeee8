"""Reads the items of a chain of steps, from its end backwards, without recursion and within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from proxy.state.sessions.item_lists import with_ids
from proxy.state.sessions.record_store import RecordStore
from proxy.state.sessions.session_errors import HistoryTooLong
from proxy.state.sessions.turn_entry import (
    NEAREST,
    Link,
    Position,
    TurnEntry,
    input_key,
    read_before,
    read_items,
    read_turn_alone,
    response_key,
    turn_key,
)
from proxy.state.sessions.turn_window import (
    Item,
    count_turns,
    drop_turns,
    dropped_turns,
    leading_items,
)
from proxy.state.sessions.values import Admit, Allowance, decode, decode_value, read_values

MOST_STEPS = 10_000
"""The most responses of one chain. Reading them takes 160 look-ups, one behind the other."""


@dataclass(frozen=True, slots=True)
class History:
    """The items of a stored conversation, the oldest first.

    *dropped_turns* of the oldest turns are left out (``sessions.turns``). *position* is the end of the chain, behind
    which the next response is kept.
    """

    items: list[dict[str, Any]]
    dropped_turns: int
    position: Position
    keys: tuple[str, ...] = ()
    """The keys of the values that were used, the oldest first."""


@dataclass(frozen=True, slots=True)
class Window:
    """The turns to keep of a history, or 0 for all of them, and the new items that follow the history.

    With *gives_ids*, items without an id get one. The same item always gets the same id. *admit* reserves memory for
    the items before they are decoded.
    """

    turns: int = 0
    new_items: Sequence[Item] = ()
    gives_ids: bool = False
    admit: Admit | None = None


class _Step(NamedTuple):
    """A step that was read: its id, its values as they were read, its input, and the keys of its values."""

    id: str
    values: Any
    entry: TurnEntry
    input: list[dict[str, Any]]
    keys: tuple[str, ...]

    def items(self, *, gives_ids: bool) -> list[dict[str, Any]]:
        """Return the items of the step."""
        items = [*self.input, *map(dict, self.entry.output)]
        return with_ids(items, self.id) if gives_ids else items


async def read_history(
    store: RecordStore, tenant: str, position: Position, window: Window, max_bytes: int
) -> History | None:
    """Return the history that ends at *position*, or None where one of its steps is missing.

    Raises :class:`HistoryTooLong` beyond *max_bytes* of JSON or :data:`MOST_STEPS` steps, and
    :class:`proxy.state.sessions.session_errors.SessionsUnavailable`.
    """
    total = count_turns(window.new_items, position.counted).turns
    dropped = dropped_turns(total, window.turns)
    allowance = Allowance(max_bytes, window.admit)
    newest_first: list[_Step] = []
    links = position.links
    while links:
        needed = [link for link in links if not dropped or link.turns > dropped]
        if len(newest_first) + len(needed) > MOST_STEPS:
            raise HistoryTooLong(max_bytes)
        steps = await _read_steps(store, tenant, needed, allowance)
        if steps is None:
            return None
        newest_first += steps
        if len(needed) < len(links) or len(links) < NEAREST:
            break
        before = decode_value(store, read_before, steps[-1].values)
        if before is None:
            return None
        links = before.links
    steps = newest_first[::-1]
    items = [item for step in steps for item in step.items(gives_ids=window.gives_ids)]
    keys = [key for step in steps for key in step.keys]
    if not dropped:
        return History(items, 0, position, tuple(keys))
    leading = await _read_leading(store, tenant, position.root, allowance)
    if leading is None:
        return None
    before = decode_value(store, read_before, steps[0].values) if steps else position
    if before is None:
        return None
    kept = [*map(dict, leading[0]), *map(dict, drop_turns(items, dropped, before.counted))]
    return History(kept, dropped, position, (*leading[1], *keys))


async def _read_steps(
    store: RecordStore, tenant: str, links: Sequence[Link], allowance: Allowance
) -> list[_Step] | None:
    """Return the steps of *links* in their order, or None where one of them is missing."""
    sizes = dict[str, int | None]()
    for link in links:
        sizes[turn_key(link.id)] = link.stored_bytes
        sizes[input_key(link.id)] = 0  # counted with the step
    loaded = await read_values(store, tenant, sizes, allowance)
    steps = []
    for link in links:
        turn, given = loaded.get(turn_key(link.id)), loaded.get(input_key(link.id))
        entry, items = decode(store, read_turn_alone, turn), decode(store, read_items, given)
        if entry is None or items is None or turn is None or given is None:
            return None
        steps.append(
            _Step(link.id, turn.value, entry, items, (*turn.keys, *given.keys, response_key(link.id)))
        )
    return steps


async def _read_leading(
    store: RecordStore, tenant: str, root: str | None, allowance: Allowance
) -> tuple[Sequence[Mapping[str, Any]], tuple[str, ...]] | None:
    """Return the instructions at the beginning of the chain, and the keys to renew, or None where they are missing."""
    if root is None:
        return (), ()
    key = input_key(root)
    loaded = (await read_values(store, tenant, {key: None}, allowance)).get(key)
    items = decode(store, read_items, loaded)
    if items is None or loaded is None:
        return None
    return leading_items(items), (*loaded.keys, turn_key(root), response_key(root))
