"""Stored responses: kept as steps of chains, found by their id, and their items by the items' ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proxy.state.sessions.item_lists import MAX_ID, id_of
from proxy.state.sessions.packed_values import Packed, pack_value
from proxy.state.sessions.record_store import Change, RecordStore
from proxy.state.sessions.turn_entry import (
    Link,
    Position,
    TurnEntry,
    input_key,
    item_key,
    read_items,
    read_turn,
    response_key,
    turn_key,
    turn_values,
)
from proxy.state.sessions.turn_window import Item, count_turns
from proxy.state.sessions.values import Allowance, Loaded, decode, pack_values, read_values, write_values

MOST_ASKED = 10_000
"""The most item ids of one look-up. The newest ones, which stand last, are looked up."""

INDEXED = 512
"""The newest output items of a response that can be found by their ids."""

_INDEXED_INPUT = 32
"""The newest input items of a response that can be found by their ids.

A client that sends its whole history again sends items whose ids are known already. Indexing them each time would cost
a write for each item.
"""


@dataclass(frozen=True, slots=True)
class ResponseRecord:
    """A response with the items that it adds to its conversation.

    *input* are the request's own items, as they were sent, encrypted ones and references included. *response* is the
    response object. Its ``output`` may be missing, since *output* has the items. ``instructions`` never become a part
    of a history. *weight* is the size of all of it as JSON, roughly.
    """

    id: str
    input: Sequence[Item]
    output: Sequence[Item]
    response: Mapping[str, Any]
    model: str
    created_at: int
    parent_id: str | None = None
    conversation_id: str | None = None
    weight: int = 0


@dataclass(frozen=True, slots=True)
class StoredStep:
    """A step to write: its values, and the position behind it."""

    packed: Mapping[str, Packed]
    position: Position

    @property
    def stored_bytes(self) -> int:
        """The bytes of all values."""
        return sum(each.stored_bytes for each in self.packed.values())


class FoundStep:
    """A step that was read, with its id, its values and the position behind it."""

    __slots__ = ("entry", "id", "loaded")

    def __init__(self, id_: str, entry: TurnEntry, loaded: Loaded) -> None:
        self.id = id_
        self.entry = entry
        self.loaded = loaded

    @property
    def position(self) -> Position:
        """The position behind the step."""
        stored, raw = self.entry.input_bytes
        link = Link(
            self.id, self.loaded.stored_bytes + stored, self.loaded.raw_bytes + raw, self.entry.counted.turns
        )
        return self.entry.before.after(link, self.entry.counted)


async def pack_step(
    record: ResponseRecord, before: Position, most_bytes: int, indexed_input: int = _INDEXED_INPUT
) -> StoredStep:
    """Return *record* as it is stored behind the position *before*.

    The newest *indexed_input* items of the input can be found by their ids. Raises :class:`ValueError` for a record
    that takes more than *most_bytes*, or cannot be written as JSON.
    """
    if record.id.split() != [record.id]:
        raise ValueError("an id with white space")
    counted = count_turns((*record.input, *record.output), before.counted)
    given = (await pack_values({input_key(record.id): list(record.input)}, record.weight))[
        input_key(record.id)
    ]
    entry = TurnEntry(
        before,
        counted,
        list(record.output),
        (given.stored_bytes, given.raw_bytes),
        record.parent_id,
        record.conversation_id,
        record.model,
        record.created_at,
    )
    response = {key: value for key, value in record.response.items() if key != "output"}
    values: dict[str, Any] = {turn_key(record.id): turn_values(entry)}
    if response:
        values[response_key(record.id)] = response
    packed = await pack_values(values, record.weight)
    turn = packed[turn_key(record.id)]
    stored, raw = turn.stored_bytes + given.stored_bytes, turn.raw_bytes + given.raw_bytes
    packed = {input_key(record.id): given, **packed}
    position = before.after(Link(record.id, stored, raw, counted.turns), counted)
    index = _index(record.id, "input", record.input[-indexed_input:], given)
    index |= _index(record.id, "output", record.output[-INDEXED:], turn)
    step = StoredStep({**packed, **index}, position)
    if step.stored_bytes > most_bytes:
        raise ValueError("this record takes more bytes than a client may store at once")
    return step


def _index(id_: str, place: str, items: Iterable[Item], packed: Packed) -> dict[str, Packed]:
    """Return the entries that tell where items with an id are kept. A reference tells nothing of its item."""
    where = pack_value([id_, place, packed.stored_bytes, packed.raw_bytes])
    return {
        item_key(known): where
        for item in items
        if item.get("type", "item_reference" if "role" not in item else "message") != "item_reference"
        and (known := id_of(item)) is not None
    }


async def find_step(store: RecordStore, tenant: str, id_: str, max_bytes: int) -> FoundStep | None:
    """Return the step *id_* without its input, or None for an id that is unknown, deleted or another client's."""
    if not 0 < len(id_) <= MAX_ID:
        return None
    key = turn_key(id_)
    loaded = (await read_values(store, tenant, {key: None}, Allowance(max_bytes))).get(key)
    entry = decode(store, read_turn, loaded)
    if entry is None or loaded is None or entry.is_deleted:
        return None
    return FoundStep(id_, entry, loaded)


async def find_record(store: RecordStore, tenant: str, id_: str, max_bytes: int) -> ResponseRecord | None:
    """Return the response *id_* without its input, or None for an id that is unknown."""
    step = await find_step(store, tenant, id_, max_bytes)
    if step is None:
        return None
    key = response_key(id_)
    loaded = (await read_values(store, tenant, {key: None}, Allowance(max_bytes))).get(key)
    if loaded is None or not isinstance(loaded.value, dict):
        return None
    entry = step.entry
    return ResponseRecord(
        id_,
        (),
        entry.output,
        {**loaded.value, "output": entry.output},
        entry.model,
        entry.created_at,
        entry.parent_id,
        entry.conversation_id,
    )


async def find_input(
    store: RecordStore, tenant: str, id_: str, max_bytes: int
) -> list[dict[str, Any]] | None:
    """Return the input items of the response *id_*, or None for an id that is unknown."""
    if await find_step(store, tenant, id_, max_bytes) is None:
        return None
    key = input_key(id_)
    loaded = (await read_values(store, tenant, {key: None}, Allowance(max_bytes))).get(key)
    return decode(store, read_items, loaded)


async def find_items(
    store: RecordStore, tenant: str, ids: Iterable[str], max_bytes: int
) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Return the items of *ids* that are stored, and the keys of the values that were used."""
    asked = [id_ for id_ in dict.fromkeys(ids) if 0 < len(id_) <= MAX_ID][-MOST_ASKED:]
    allowance = Allowance(max_bytes)
    places = await read_values(store, tenant, {item_key(id_): None for id_ in asked}, allowance)
    wanted, sizes = dict[str, list[str]](), dict[str, int | None]()
    for id_ in asked:
        place = decode(store, _read_place, places.get(item_key(id_)))
        if place is not None:
            wanted.setdefault(place[0], []).append(id_)
            sizes[place[0]] = place[1]
    loaded = await read_values(store, tenant, sizes, allowance)
    found = dict[str, dict[str, Any]]()
    for key, wanted_ids in wanted.items():
        kept = {id_of(each): each for each in _items_in(store, key, loaded.get(key))}
        found |= {id_: kept[id_] for id_ in wanted_ids if id_ in kept}
    used = [key for each in loaded.values() for key in each.keys]
    return found, (*used, *(item_key(id_) for id_ in found))


def _items_in(store: RecordStore, key: str, loaded: Loaded | None) -> Sequence[dict[str, Any]]:
    if key.startswith(turn_key("")):
        entry = decode(store, read_turn, loaded)
        return [] if entry is None else [dict(item) for item in entry.output]
    return decode(store, read_items, loaded) or []


def _read_place(value: Any) -> tuple[str, int]:
    """Return the key under which an item is kept, and the bytes of the value there."""
    try:
        id_, place, stored, _ = value
        return {"input": input_key, "output": turn_key}[place](id_), int(stored)
    except (KeyError, TypeError) as error:
        raise ValueError("not the place of an item") from error


async def delete_record(store: RecordStore, tenant: str, id_: str, max_bytes: int) -> bool:
    """Delete the response *id_*. Return False for an id that is unknown.

    The items of a response in a conversation stay in the conversation. Otherwise they are deleted too, so that no later
    response can be continued either.
    """
    step = await find_step(store, tenant, id_, max_bytes)
    if step is None:
        return False
    keys = [turn_key(id_), input_key(id_), response_key(id_)]
    loaded = await read_values(store, tenant, dict.fromkeys(keys), Allowance(max_bytes))
    parts = {key: loaded[key].keys if key in loaded else (key,) for key in keys}
    if step.entry.conversation_id is not None:
        kept = pack_value(turn_values(replace(step.entry, is_deleted=True)))
        change = Change(removed=(*parts[response_key(id_)],))
        return await write_values(store, tenant, {turn_key(id_): kept}, change)
    items = [*step.entry.output, *(decode(store, read_items, loaded.get(input_key(id_))) or ())]
    index = {item_key(known): None for item in items if (known := id_of(item)) is not None}
    places = await read_values(store, tenant, index, Allowance(max_bytes))
    own = {turn_key(id_), input_key(id_)}
    indexed = [key for key, each in places.items() if (decode(store, _read_place, each) or ("",))[0] in own]
    removed = [*(key for each in parts.values() for key in each), *indexed]
    return await store.change(tenant, Change(removed=removed))
