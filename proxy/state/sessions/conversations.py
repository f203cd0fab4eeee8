"""Stored conversations: a head with metadata and the end of a chain of steps, to which items are added.

The head is the one value that changes. It is replaced only where it stands as it was read, so that two replicas which
add items at the same time lose nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.state.sessions.item_lists import MAX_ID, with_ids
from proxy.state.sessions.packed_values import pack_value, read_header, unpack_value
from proxy.state.sessions.read_history import History, Window, read_history
from proxy.state.sessions.record_store import Change, RecordStore
from proxy.state.sessions.responses import INDEXED, ResponseRecord, StoredStep, pack_step
from proxy.state.sessions.session_errors import SessionsUnavailable
from proxy.state.sessions.turn_entry import (
    Position,
    conversation_key,
    input_key,
    position_values,
    read_position,
    turn_key,
)
from proxy.state.sessions.turn_window import Item
from proxy.state.sessions.values import write_values

_ATTEMPTS = 16
"""The attempts to change a conversation that others change at the same time."""

_CHUNK = "chunk_"
"""The beginning of the ids of steps that are no responses: items which a client added by itself."""

_MOST_HEAD_BYTES = 64 * 2**10
"""The most bytes of a conversation's head. OpenAI's bounds for metadata allow 10 KB."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation: its id, its time of creation in Unix seconds, and what its client noted of it."""

    id: str
    created_at: int
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Head:
    """A conversation with the end of its chain, and the bytes that stand in the store."""

    conversation: Conversation
    position: Position
    stands: bytes | None = None

    @property
    def key(self) -> str:
        """The key of the head."""
        return conversation_key(self.conversation.id)


async def find_head(store: RecordStore, tenant: str, id_: str) -> Head | None:
    """Return the head of the conversation *id_*, or None for an id that is unknown, deleted or another client's."""
    if not 0 < len(id_) <= MAX_ID:
        return None
    key = conversation_key(id_)
    stands = (await store.get(tenant, [key])).get(key)
    if stands is None:
        return None
    header = read_header(stands)
    try:
        if header is None:
            raise ValueError("this value is damaged")
        head = _read_head(id_, unpack_value(header, (stands,)))
    except ValueError:
        store.count_corrupt()
        return None
    return replace(head, stands=stands)


async def put_head(store: RecordStore, tenant: str, head: Head) -> bool:
    """Write *head* where :attr:`Head.stands` stands. Return False where another value stands."""
    change = Change({head.key: _pack_head(head)}, expected=(head.key, head.stands))
    return await store.change(tenant, change)


async def add_step(
    store: RecordStore, tenant: str, record: ResponseRecord, head: Head, most_bytes: int
) -> Head | None:
    """Add *record* to the end of the conversation of *head*. Return the new head, or None where it was deleted.

    Raises :class:`SessionsUnavailable` where others change the conversation all the time, and :class:`ValueError` for a
    record that takes more than *most_bytes* or cannot be stored.
    """
    for _ in range(_ATTEMPTS):
        step = await _pack(record, head.position, most_bytes)
        new = replace(head, position=step.position)
        packed_head = _pack_head(new)
        change = Change({new.key: packed_head}, expected=(head.key, head.stands))
        if await write_values(store, tenant, step.packed, change):
            return replace(new, stands=packed_head)
        found = await find_head(store, tenant, head.conversation.id)
        if found is None:
            return None
        head = found
    raise SessionsUnavailable("The conversation is changed by other requests all the time. Try again soon.")


async def _pack(record: ResponseRecord, before: Position, most_bytes: int) -> StoredStep:
    if record.id.startswith(_CHUNK):
        return await pack_step(record, before, most_bytes, INDEXED)
    return await pack_step(record, before, most_bytes)


def chunk_of(items: Sequence[Item], head: Head, weight: int) -> ResponseRecord:
    """Return a step that adds *items* to a conversation and is no response. The items get ids."""
    id_ = f"{_CHUNK}{secrets.token_hex(16)}"
    created = head.conversation.created_at
    return ResponseRecord(
        id_, with_ids(items, id_), (), {}, "", created, conversation_id=head.conversation.id, weight=weight
    )


async def read_all(store: RecordStore, tenant: str, head: Head, max_bytes: int) -> History | None:
    """Return the history of a conversation, in which all items have ids. None where a step is missing."""
    return await read_history(store, tenant, head.position, Window(gives_ids=True), max_bytes)


async def drop_item(store: RecordStore, tenant: str, head: Head, item_id: str, max_bytes: int) -> Head | None:
    """Delete one item of a conversation. Return the new head, or None where there is no such item.

    The other items are written anew as one step, and the steps that were no responses are deleted. So nothing of the
    item is left in the conversation.
    """
    for _ in range(_ATTEMPTS):
        found = await read_all(store, tenant, head, max_bytes)
        items = [] if found is None else [item for item in found.items if item["id"] != item_id]
        if found is None or len(items) == len(found.items):
            return None
        weight = sum(link.raw_bytes for link in head.position.links)
        step = await _pack(chunk_of(items, head, weight), Position(), max_bytes)
        new = replace(head, position=step.position)
        packed_head = _pack_head(new)
        change = Change({new.key: packed_head}, chunk_keys(found), (head.key, head.stands))
        if await write_values(store, tenant, step.packed, change):
            return replace(new, stands=packed_head)
        current = await find_head(store, tenant, head.conversation.id)
        if current is None:
            return None
        head = current
    raise SessionsUnavailable("The conversation is changed by other requests all the time. Try again soon.")


def chunk_keys(history: History) -> tuple[str, ...]:
    """Return the keys of the steps of *history* that are no responses."""
    beginnings = (turn_key(_CHUNK), input_key(_CHUNK))
    return tuple(key for key in history.keys if key.startswith(beginnings))


def _pack_head(head: Head) -> bytes:
    conversation = head.conversation
    packed = pack_value(
        {
            "created_at": conversation.created_at,
            "metadata": dict(conversation.metadata),
            "position": position_values(head.position),
        }
    )
    if packed.raw_bytes > _MOST_HEAD_BYTES:
        raise InvalidRequest("The metadata of a conversation is too long.", param="metadata")
    return packed.parts[0]


def _read_head(id_: str, values: Any) -> Head:
    try:
        created, metadata = values["created_at"], values["metadata"]
        if created.__class__ is not int or not isinstance(metadata, dict):
            raise ValueError("not a conversation")
        return Head(Conversation(id_, created, metadata), read_position(values["position"]))
    except (KeyError, TypeError) as error:
        raise ValueError("not a conversation") from error
