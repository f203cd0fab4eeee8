"""Converts a request of the Responses API to the chat that the page shows, with its stored conversation.

The page shows the messages that the items become, and numbers these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from proxy.core.errors import BodyTooLarge
from proxy.forwarding.gateway import Gateway
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.ingress.routes.responses.open_request import hint_of
from proxy.ingress.routes.responses.resolve_input import ResolvedInput, resolve_input
from proxy.inspector.read_query import ItemsQuery, Query
from proxy.inspector.worker_thread import LARGEST_MIB, run_in_worker
from proxy.planning.plan import ITEMS
from sanitizers import Change
from sanitizers.native.responses.project import ResponsesProjection


async def convert_items(asked: ItemsQuery, gateway: Gateway, tenant: str) -> Query:
    """Return the query of the chat that *asked* becomes. Stored conversations are those of *tenant*.

    Raises :class:`proxy.core.errors.ProxyError` as the real request would, and :class:`BodyTooLarge` for a stored
    conversation above the inspector's limit.
    """
    turns = gateway.settings.sessions.turns
    resolved = await resolve_input(
        asked.fields, gateway.sessions, tenant, turns, hint_of(gateway), _refuse_large
    )
    return await run_in_worker(partial(_convert, asked, resolved))


def _convert(asked: ItemsQuery, resolved: ResolvedInput) -> Query:
    converted = to_chat(asked.fields, resolved.items, earlier=resolved.earlier)
    made = (*resolved.changes, *converted.chat.mended)
    numbered = _number_messages(made, converted.projection)
    return asked.query(replace(converted.chat, mended=numbered))


def _number_messages(changes: Sequence[Change], projection: ResponsesProjection) -> tuple[Change, ...]:
    """Return *changes* of items with the indexes of their messages. Changes of tools have no message."""
    numbered = []
    for change in changes:
        if change.step == ITEMS and not change.detail.startswith("tool"):
            change = replace(change, index=projection.message_of(change.index))
        numbered.append(change)
    return tuple(numbered)


def _refuse_large(size: int) -> None:
    if size > LARGEST_MIB * 2**20:
        raise BodyTooLarge(
            f"The inspector looks at {LARGEST_MIB} MiB at most, the stored conversation included."
        )
