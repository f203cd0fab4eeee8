"""Converts a request of another API than chat completions to the chat that the page shows.

The page shows the messages that the items become, and numbers these.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import BodyTooLarge
from proxy.forwarding.gateway import Gateway
from proxy.ingress.anthropic_messages.read_request import to_chat as messages_to_chat
from proxy.ingress.gemini_native.read_request import to_chat as contents_to_chat
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.ingress.routes.responses.open_request import hint_of
from proxy.ingress.routes.responses.resolve_input import ResolvedInput, resolve_input
from proxy.inspector.read_query import ContentsQuery, ItemsQuery, MessagesQuery, Query
from proxy.inspector.worker_thread import LARGEST_MIB, run_in_worker
from proxy.planning.plan import ITEMS
from sanitizers import Change

_OF_FIELDS = ("generationConfig", "max_tokens", "system.", "systemInstruction", "tool")
"""The beginnings of the details of changes that concern no message."""


async def convert_messages(asked: MessagesQuery, tenant: str) -> Query:
    """Return the query of the chat that *asked*, a request of the Messages API, becomes.

    Its envelopes are opened where they are those of *tenant*. Raises :class:`proxy.core.errors.InvalidRequest` as the
    real request would.
    """
    return await run_in_worker(
        lambda: asked.query(number_messages(messages_to_chat(asked.fields, tenant=tenant).chat))
    )


async def convert_contents(asked: ContentsQuery, tenant: str) -> Query:
    """Return the query of the chat that *asked*, a request of Gemini's API, becomes.

    The parameters and the errors are those of :func:`convert_messages`.
    """
    return await run_in_worker(
        lambda: asked.query(number_messages(contents_to_chat(asked.fields, tenant=tenant).chat))
    )


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


def number_messages(chat: ChatRequest) -> ChatRequest:
    """Return *chat*, which was converted from items, whose changes have the indexes of messages in place of items.

    The messages of the Messages API and the contents of Gemini's API are items too. Changes of tools and of fields have
    no message.
    """
    assert chat.source is not None, "the chat was converted"
    native = chat.source.native
    assert native is not None, "the chat was converted from items"
    projection = native.projection

    def number(change: Change) -> Change:
        if change.step != ITEMS or change.detail.startswith(_OF_FIELDS):
            return change
        return replace(change, index=projection.message_of(change.index))

    return replace(chat, mended=tuple(map(number, chat.mended)))


def _convert(asked: ItemsQuery, resolved: ResolvedInput) -> Query:
    chat = to_chat(asked.fields, resolved.items, earlier=resolved.earlier).chat
    return asked.query(number_messages(replace(chat, mended=(*resolved.changes, *chat.mended))))


def _refuse_large(size: int) -> None:
    if size > LARGEST_MIB * 2**20:
        raise BodyTooLarge(
            f"The inspector looks at {LARGEST_MIB} MiB at most, the stored conversation included."
        )
