"""Puts a request's input behind the conversation that it names, and replaces references by the stored items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from proxy.core.errors import InvalidRequest, NotFound
from proxy.core.json_text import write_json
from proxy.core.offload import LARGE, run_offloaded
from proxy.ingress.openai_responses.fields import ResponsesFields
from proxy.state.sessions.item_lists import id_of, without_repeated
from proxy.state.sessions.read_history import History, Window
from proxy.state.sessions.sessions import Sessions
from proxy.state.sessions.values import Admit
from sanitizers import Change
from sanitizers.native import Item
from sanitizers.record import record
from sanitizers.work_limit import metered

NOT_STORED = "This server stores no responses (sessions.enabled): send the whole conversation as 'input'."
"""The hint for a client that names a stored object where nothing is stored."""

_THOUGHTS = "rs_"


class UnknownResponse(InvalidRequest):
    """The request continues a response that is unknown, deleted, expired or another client's.

    No client recovers from it by itself, but an answer without the conversation would be worse (litellm#11204).
    """

    code = "previous_response_not_found"


@record
class ResolvedInput:
    """All items of a request's conversation, the oldest first, of which the first *earlier* were stored before.

    *own* are the request's own items, with stored items in the place of references. *history* is the stored
    conversation, or None. *stored_bytes* is the size of all stored items as JSON, and *referenced_bytes* that of those
    which references name.
    """

    items: Sequence[Item]
    own: Sequence[Item]
    earlier: int
    history: History | None
    changes: tuple[Change, ...]
    stored_bytes: int = 0
    referenced_bytes: int = 0


async def resolve_input(
    fields: ResponsesFields,
    sessions: Sessions | None,
    tenant: str,
    turns: int,
    hint: str = "",
    admit: Admit | None = None,
) -> ResolvedInput:
    """Return the conversation of *fields*. *turns* is the number of newest turns to keep, or 0 for all.

    *admit* reserves memory for the stored history before it is decoded.

    Raises :class:`UnknownResponse` and :class:`NotFound` for what is not stored for *tenant*. *hint* is added to their
    messages. Raises :class:`proxy.state.sessions.session_errors.SessionsUnavailable` where the store cannot be asked.
    """
    history = await _find_history(fields, sessions, tenant, Window(turns, fields.items, admit=admit), hint)
    stored: Sequence[Item] = () if history is None else history.items
    stored_bytes = 0 if history is None else sum(link.raw_bytes for link in history.position.links)
    weight = fields.weight + stored_bytes
    own = fields.items
    if history is not None:
        own = await run_offloaded(weight, partial(without_repeated, stored, own))
    asked = await run_offloaded(weight, partial(_references_in, own))
    referenced_bytes = 0
    changes: tuple[Change, ...] = ()
    if asked:
        known = {} if sessions is None else await sessions.find_items(tenant, asked)
        referenced_bytes = await run_offloaded(LARGE + 1, partial(_size_of, known))
        put = await run_offloaded(weight, partial(_put, own, known, len(stored)))
        if put.missing is not None:
            raise _not_found(put.missing, sessions, hint)
        own, changes = put.items, put.changes
    if history is not None and history.dropped_turns:
        changes = (
            Change("session", "dropped", 0, "old_turns", f"turns={history.dropped_turns}"),
            *changes,
        )
    size = stored_bytes + referenced_bytes
    return ResolvedInput([*stored, *own], own, len(stored), history, changes, size, referenced_bytes)


async def _find_history(
    fields: ResponsesFields, sessions: Sessions | None, tenant: str, window: Window, hint: str
) -> History | None:
    parent, conversation = fields.previous_response_id, fields.conversation
    if parent is not None:
        history = None if sessions is None else await sessions.history(tenant, parent, window)
        if history is None:
            raise UnknownResponse(
                f"Previous response with id '{parent[:80]}' not found.{_more(sessions, hint)}",
                param="previous_response_id",
            )
        return history
    if conversation is not None:
        if sessions is None:
            raise InvalidRequest(f"'conversation' is not supported here. {NOT_STORED}", param="conversation")
        history = await sessions.conversation_history(tenant, conversation, window)
        if history is None:
            raise NotFound(
                f"Conversation with id '{conversation[:80]}' not found.{_more(sessions, hint)}",
                param="conversation",
            )
        return history
    return None


def _more(sessions: Sessions | None, hint: str) -> str:
    return f" {NOT_STORED}" if sessions is None else f" {hint}" if hint else ""


class _Put(NamedTuple):
    """The *items* with stored items in the place of references, and the id of the first one that is *missing*."""

    items: list[Item]
    changes: tuple[Change, ...]
    missing: str | None


def _references_in(items: Sequence[Item]) -> list[str]:
    """Return the ids that *items* refer to, each once."""
    return list(dict.fromkeys(name for item in metered(items) if (name := referenced(item)) is not None))


def _put(items: Sequence[Item], known: Mapping[str, Item], earlier: int) -> _Put:
    """Return *items* with those of *known* in the place of references. *earlier* items stand before them.

    A reference to a thought may be left out, since thoughts are no part of what was said. Any other unknown reference
    is refused: the conversation would lose words. An item stands in a conversation once, so a second reference to it is
    left out. A small body could else make a history of any size.
    """
    resolved: list[Item] = []
    changes: list[Change] = []
    used = set[str]()
    for index, item in enumerate(metered(items), start=earlier):
        name = referenced(item)
        if name is None:
            resolved.append(item)
        elif name in used:
            changes.append(Change("items", "dropped", index, "repeated_reference"))
        elif name in known:
            used.add(name)
            resolved.append(known[name])
        elif name.startswith(_THOUGHTS):
            changes.append(Change("items", "dropped", index, "unknown_reference", "reasoning"))
        else:
            return _Put([], (), name)
    return _Put(resolved, tuple(changes), None)


def _size_of(items: Mapping[str, Item]) -> int:
    return len(write_json(items)) if items else 0


def _not_found(name: str, sessions: Sessions | None, hint: str) -> NotFound:
    return NotFound(
        f"Item with id '{name[:80]}' not found. Items are not persisted when `store` is set to false. Try "
        f"again with `store` set to true, or remove this item from your input.{_more(sessions, hint)}",
        param="input",
    )


def referenced(item: Mapping[str, Any]) -> str | None:
    """Return the id that *item* refers to, or None for an item that is no reference. ``type`` may be missing."""
    kind = item.get("type")
    if kind == "item_reference" or (kind is None and item.keys() <= {"id", "type"}):
        return id_of(item)
    return None
