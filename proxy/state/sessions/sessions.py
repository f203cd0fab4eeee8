"""Stored responses and conversations of the Responses API, for each client's key apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from proxy.state.sessions.conversations import (
    Conversation,
    Head,
    add_step,
    chunk_keys,
    chunk_of,
    drop_item,
    find_head,
    put_head,
    read_all,
)
from proxy.state.sessions.item_lists import ItemPage, page_of, with_ids
from proxy.state.sessions.read_history import History, Window, read_history
from proxy.state.sessions.record_store import Change, RecordStore
from proxy.state.sessions.renewals import RENEW_AFTER_S, Renewals
from proxy.state.sessions.responses import (
    ResponseRecord,
    delete_record,
    find_input,
    find_items,
    find_record,
    find_step,
    pack_step,
)
from proxy.state.sessions.session_errors import HistoryTooLong, SessionsUnavailable
from proxy.state.sessions.turn_entry import Position
from proxy.state.sessions.turn_window import Item
from proxy.state.sessions.values import write_values

_ATTEMPTS = 16


class Sessions:
    """The sessions in *store*. A history may have *max_bytes* of JSON, as many as a request's body.

    The *tenant* of each method is the name of the client's key, or "" for callers without a key. An id that is unknown,
    deleted or another tenant's gives the same result. Methods raise :class:`SessionsUnavailable` where the store cannot
    be asked, and :class:`HistoryTooLong` for a history that is longer than *max_bytes*.
    """

    def __init__(
        self,
        store: RecordStore,
        max_bytes: int,
        *,
        clock: Callable[[], float] = monotonic,
        renew_after_s: float = RENEW_AFTER_S,
    ) -> None:
        self.store = store
        self.max_bytes = max_bytes
        self._renewals = Renewals(store, clock, renew_after_s)

    async def keep_response(
        self, tenant: str, record: ResponseRecord, history: History | None = None
    ) -> bool:
        """Store *record*, which every replica can read once this returns. Return False where it is not stored.

        *history* is what :meth:`history` returned for the parent, which saves a look-up. A record is not stored if it
        takes more than half of the client's bounds, or if its parent or its conversation has been deleted meanwhile.
        """
        try:
            if record.conversation_id is not None:
                head = await find_head(self.store, tenant, record.conversation_id)
                if head is None:
                    return False
                return await add_step(self.store, tenant, record, head, self._most_bytes) is not None
            before = await self._position_before(tenant, record, history)
            if before is None:
                return False
            step = await pack_step(record, before, self._most_bytes)
            return await write_values(self.store, tenant, step.packed, Change())
        except ValueError:
            return False

    async def find_response(self, tenant: str, id_: str) -> ResponseRecord | None:
        """Return the response *id_* with its whole response object, or None. Its input is left out."""
        return await find_record(self.store, tenant, id_, self.max_bytes)

    async def find_input(self, tenant: str, id_: str) -> list[dict[str, Any]] | None:
        """Return the own input items of the response *id_*, each with an id, or None."""
        items = await find_input(self.store, tenant, id_, self.max_bytes)
        return None if items is None else with_ids(items, id_)

    async def history(self, tenant: str, id_: str, window: Window = Window()) -> History | None:  # noqa: B008 - frozen
        """Return all items up to and with the output of the response *id_*, or None where one of them is missing.

        *window* may leave out the oldest turns. References to items stand in it as they were sent.
        """
        step = await find_step(self.store, tenant, id_, self.max_bytes)
        return None if step is None else await self._read(tenant, step.position, window)

    async def find_items(self, tenant: str, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the stored items with *ids*, by their ids, for ``item_reference``. Unknown ids are left out."""
        found, keys = await find_items(self.store, tenant, ids, self.max_bytes)
        await self._renewals.renew(tenant, keys)
        return found

    async def delete_response(self, tenant: str, id_: str) -> bool:
        """Delete the response *id_*. Return False for an unknown id."""
        return await delete_record(self.store, tenant, id_, self.max_bytes)

    async def create_conversation(
        self, tenant: str, conversation: Conversation, items: Sequence[Item] = (), weight: int = 0
    ) -> None:
        """Store a new conversation with its first *items*, as :meth:`append_items` does."""
        await put_head(self.store, tenant, Head(conversation, Position()))
        if items:
            await self.append_items(tenant, conversation.id, items, weight)

    async def find_conversation(self, tenant: str, id_: str) -> Conversation | None:
        """Return the conversation *id_*, or None."""
        head = await find_head(self.store, tenant, id_)
        return None if head is None else head.conversation

    async def update_conversation(
        self, tenant: str, id_: str, metadata: Mapping[str, str]
    ) -> Conversation | None:
        """Replace the metadata of the conversation *id_*. Return the conversation, or None."""
        for _ in range(_ATTEMPTS):
            head = await find_head(self.store, tenant, id_)
            if head is None:
                return None
            new = replace(head, conversation=replace(head.conversation, metadata=dict(metadata)))
            if await put_head(self.store, tenant, new):
                return new.conversation
        raise SessionsUnavailable

    async def delete_conversation(self, tenant: str, id_: str) -> bool:
        """Delete the conversation *id_* and the items that were added to it. Return False for an unknown id.

        Responses of the conversation stay, as at OpenAI. Such a response cannot be continued by its id if items before
        it were added by the client.
        """
        head = await find_head(self.store, tenant, id_)
        if head is None:
            return False
        try:
            history = await read_all(self.store, tenant, head, self.max_bytes)
        except HistoryTooLong:
            history = None
        chunks = () if history is None else chunk_keys(history)
        await self.store.change(tenant, Change(removed=(head.key, *chunks)))
        return True

    async def append_items(
        self, tenant: str, id_: str, items: Sequence[Item], weight: int = 0
    ) -> list[dict[str, Any]] | None:
        """Add *items* to the conversation *id_*. Return the items with their ids, or None for an unknown id.

        *weight* is their size as JSON. Raises :class:`HistoryTooLong` for items beyond half of the client's bounds.
        """
        head = await find_head(self.store, tenant, id_)
        if head is None:
            return None
        chunk = chunk_of(items, head, weight)
        try:
            added = await add_step(self.store, tenant, chunk, head, self._most_bytes)
        except ValueError:
            raise HistoryTooLong(self._most_bytes, "items") from None
        if added is None:
            return None
        return [dict(item) for item in chunk.input]

    async def conversation_history(
        self,
        tenant: str,
        id_: str,
        window: Window = Window(),  # noqa: B008 - frozen
    ) -> History | None:
        """Return the items of the conversation *id_*, or None where it or one of its items is missing."""
        head = await find_head(self.store, tenant, id_)
        if head is None:
            return None
        await self._renewals.renew(tenant, (head.key,))
        return await self._read(tenant, head.position, window)

    async def list_items(
        self, tenant: str, id_: str, *, after: str | None = None, limit: int = 20, order: str = "desc"
    ) -> ItemPage | None:
        """Return a page of the conversation's items, or None for an unknown id.

        Raises :class:`proxy.core.errors.InvalidRequest` for an unknown *after*.
        """
        history = await self.conversation_history(tenant, id_, Window(gives_ids=True))
        return None if history is None else page_of(history.items, after=after, limit=limit, order=order)

    async def find_item(self, tenant: str, id_: str, item_id: str) -> dict[str, Any] | None:
        """Return one item of the conversation *id_*, or None."""
        history = await self.conversation_history(tenant, id_, Window(gives_ids=True))
        items = () if history is None else history.items
        return next((item for item in items if item["id"] == item_id), None)

    async def delete_item(self, tenant: str, id_: str, item_id: str) -> Conversation | None:
        """Delete one item of the conversation *id_*. Return the conversation, or None for an unknown id."""
        head = await find_head(self.store, tenant, id_)
        if head is None:
            return None
        head = await drop_item(self.store, tenant, head, item_id, self.max_bytes)
        return None if head is None else head.conversation

    async def purge(self, tenant: str) -> int:
        """Delete all responses and conversations of *tenant*. Return the number of values that were deleted."""
        gone = 0
        while (some := await self.store.clear(tenant)) > 0:
            gone += some
        return gone

    @property
    def _most_bytes(self) -> int:
        """The most bytes of one record, as stored."""
        return min(self.store.limits.bounds) // 2

    async def _position_before(
        self, tenant: str, record: ResponseRecord, history: History | None
    ) -> Position | None:
        """Return the position that *record* continues, or None where its parent is missing."""
        if record.parent_id is None:
            return Position()
        if history is not None:
            links = history.position.links
            if links and links[0].id == record.parent_id:
                return history.position
        step = await find_step(self.store, tenant, record.parent_id, self.max_bytes)
        return None if step is None else step.position

    async def _read(self, tenant: str, position: Position, window: Window) -> History | None:
        history = await read_history(self.store, tenant, position, window, self.max_bytes)
        if history is not None:
            await self._renewals.renew(tenant, history.keys)
        return history
