"""Puts a request's input behind the conversation that it names, and replaces references by the stored items."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from proxy.core.chat_request import ProviderNeed
from proxy.core.errors import InvalidRequest, NotFound
from proxy.core.json_text import write_json
from proxy.core.offload import LARGE, run_offloaded
from proxy.ingress.openai_responses.fields import ResponsesFields
from proxy.ingress.openai_responses.ids import is_own_id
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
    which references name. *needs* are the conversation and the items that a provider may know.
    """

    items: Sequence[Item]
    own: Sequence[Item]
    earlier: int
    history: History | None
    changes: tuple[Change, ...]
    stored_bytes: int = 0
    referenced_bytes: int = 0
    needs: tuple[ProviderNeed, ...] = ()


def leave_to_provider(fields: ResponsesFields) -> ResolvedInput:
    """Return the input as it came, for a provider that stores conversations for its clients (``provider_state``)."""
    named = ("previous_response_id", fields.previous_response_id), ("conversation", fields.conversation)
    needs = tuple(_need_named(field, id_, wants_state=True) for field, id_ in named if id_ is not None)
    return ResolvedInput(fields.items, fields.items, 0, None, (), needs=needs)


async def resolve_input(
    fields: ResponsesFields,
    sessions: Sessions | None,
    tenant: str,
    turns: int,
    hint: str = "",
    admit: Admit | None = None,
    *,
    may_be_foreign: bool = False,
) -> ResolvedInput:
    """Return the conversation of *fields*. *turns* is the number of newest turns to keep, or 0 for all.

    *admit* reserves memory for the stored history before it is decoded. With *may_be_foreign* an unknown id that the
    proxy did not make is a need of the request, since a provider may know it.

    Raises :class:`UnknownResponse` and :class:`NotFound` for what is not stored for *tenant*. *hint* is added to their
    messages. Raises :class:`proxy.state.sessions.session_errors.SessionsUnavailable` where the store cannot be asked.
    """
    history = await _find_history(fields, sessions, tenant, Window(turns, fields.items, admit=admit))
    needs: tuple[ProviderNeed, ...] = ()
    if history is None and (unknown := _unknown_history(fields, sessions, hint)) is not None:
        id_, need = unknown
        if not may_be_foreign or is_own_id(id_):
            raise need.error(need.message, param=need.param)
        needs = (need,)
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
        foreign = frozenset(name for name in asked if name not in known and not is_own_id(name))
        if not may_be_foreign or all(name.startswith(_THOUGHTS) for name in foreign):
            foreign = frozenset()
        put = await run_offloaded(weight, partial(_put, own, known, len(stored), foreign))
        if put.missing is not None:
            raise _not_found(put.missing, sessions, hint)
        own, changes = put.items, put.changes
        if foreign:
            first = next(name for name in asked if name in foreign and not name.startswith(_THOUGHTS))
            refusal = _not_found(first, sessions, hint)
            need = ProviderNeed(
                refusal.message, "input", NotFound, names_object=True, holds_history=True, hides_content=True
            )
            needs = (*needs, need)
    if history is not None and history.dropped_turns:
        changes = (
            Change("session", "dropped", 0, "old_turns", f"turns={history.dropped_turns}"),
            *changes,
        )
    size = stored_bytes + referenced_bytes
    return ResolvedInput([*stored, *own], own, len(stored), history, changes, size, referenced_bytes, needs)


async def _find_history(
    fields: ResponsesFields, sessions: Sessions | None, tenant: str, window: Window
) -> History | None:
    if sessions is None:
        return None
    if fields.previous_response_id is not None:
        return await sessions.history(tenant, fields.previous_response_id, window)
    if fields.conversation is not None:
        return await sessions.conversation_history(tenant, fields.conversation, window)
    return None


def _unknown_history(
    fields: ResponsesFields, sessions: Sessions | None, hint: str
) -> tuple[str, ProviderNeed] | None:
    """Return the id of the conversation that *fields* name, and the need for it, or None where they name none."""
    parent, conversation = fields.previous_response_id, fields.conversation
    if parent is not None:
        return parent, _need_named("previous_response_id", parent, _more(sessions, hint))
    if conversation is None:
        return None
    need = _need_named("conversation", conversation, _more(sessions, hint))
    if sessions is None:
        message = f"'conversation' is not supported here. {NOT_STORED}"
        need = replace(need, message=message, error=InvalidRequest)
    return conversation, need


def _need_named(field: str, id_: str, more: str = "", *, wants_state: bool = False) -> ProviderNeed:
    is_response = field == "previous_response_id"
    return ProviderNeed(
        f"{'Previous response' if is_response else 'Conversation'} with id '{id_[:80]}' not found.{more}",
        field,
        UnknownResponse if is_response else NotFound,
        names_object=True,
        holds_history=True,
        hides_content=True,
        wants_state=wants_state,
    )


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


def _put(
    items: Sequence[Item], known: Mapping[str, Item], earlier: int, foreign: Container[str] = ()
) -> _Put:
    """Return *items* with those of *known* in the place of references. *earlier* items stand before them.

    References to *foreign* items stay, since a provider may know them.

    A reference to a thought may be left out, since thoughts are no part of what was said. Any other unknown reference
    is refused: the conversation would lose words. An item stands in a conversation once, so a second reference to it is
    left out. A small body could else make a history of any size.
    """
    resolved: list[Item] = []
    changes: list[Change] = []
    used = set[str]()
    for index, item in enumerate(metered(items), start=earlier):
        name = referenced(item)
        if name is None or name in foreign:
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
