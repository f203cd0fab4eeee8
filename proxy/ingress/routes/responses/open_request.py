"""Reads a request of the Responses API: its fields, its stored conversation, and the chat that they become."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from aiohttp import web

from proxy.config.pools import is_allowed, resolve
from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest, ProxyError
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.echo import ResponseHead
from proxy.ingress.openai_responses.errors import rename_param
from proxy.ingress.openai_responses.fields import ResponsesFields, read_fields
from proxy.ingress.openai_responses.ids import make_response_id
from proxy.ingress.openai_responses.item_indexes import ItemIndexes
from proxy.ingress.openai_responses.read_request import Converted, to_chat
from proxy.ingress.routes.read_body import read_body
from proxy.ingress.routes.reserve_memory import reserve
from proxy.ingress.routes.responses.resolve_input import (
    ResolvedInput,
    leave_to_provider,
    resolve_input,
)
from proxy.planning.provider_needs import sends_partial_history
from proxy.resilience.memory_need import DIRECT_TIMES
from sanitizers.record import record

AnswersT = TypeVar("AnswersT", bound=AnswerContext)

_ITEM_COST = 256
"""Bytes of a usual body that take as long as the reading of one item, if it is of a rare type: some 20 microseconds.

A body of 500 KB with 7,000 calls that the provider ran took 450 ms on the event loop (2026-11).
"""

_ONLY_HERE = "The conversations of this server are lost with the process (store.url)."
_AT_PROVIDER = "Responses of a model with provider_state are stored at its provider: ask there."


@record
class OpenedRequest:
    """A request that was read: its *fields*, its *resolved* input, and the *chat* that is asked.

    With *is_kept_upstream* the model's provider stores responses, and its ids reach the client.
    """

    fields: ResponsesFields
    body: bytes
    resolved: ResolvedInput
    converted: Converted
    chat: ChatRequest
    is_kept_upstream: bool

    @property
    def can_be_kept(self) -> bool:
        """True where the response can be stored here: its provider does not, and its whole history is known."""
        return not self.is_kept_upstream and not sends_partial_history(self.chat)

    @property
    def indexes(self) -> ItemIndexes:
        """The numbers of the request's own items."""
        return ItemIndexes(self.converted.projection.spans, self.resolved.earlier)

    def make_answers(self, cls: type[AnswersT], gateway: Gateway, *, stores: bool) -> AnswersT:
        """Return the format of the answer, an object of *cls*. *stores* is the value of ``store`` in it."""
        head = ResponseHead(
            make_response_id(gateway.token()), int(unix_time()), {**self.fields.echo, "store": stores}
        )
        return cls(
            head,
            self.converted.table,
            include=self.fields.include,
            shows_thoughts=self.fields.shows_thoughts,
            clock=unix_time,
            spans=self.converted.projection.spans,
            earlier=self.resolved.earlier,
            relays_ids=self.is_kept_upstream,
        )


async def open_request(request: web.Request) -> OpenedRequest:
    """Return the request as it was read, with its stored conversation.

    Memory is reserved for the body and for the stored items. Raises :class:`proxy.core.errors.ProxyError` for a faulty
    request, for a conversation that is not stored, and where the store cannot be asked.
    """
    gateway, log = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    body = await read_body(request, gateway, log)
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)
    read = partial(read_fields, body, max_nesting=nesting, mends=mends, weight=weight)
    fields = await run_offloaded(weight, read)

    def admit(size: int) -> None:
        reserve(log, gateway, log.reserved + size * gateway.memory_factor // DIRECT_TIMES)

    pool = resolve(settings, fields.model)
    # A model that the key may not use is treated as one that is not configured, until it is refused.
    is_kept_upstream = (
        bool(pool) and pool[0].provider_state and is_allowed(fields.model, settings, log.allowed, pool)
    )
    if is_kept_upstream:
        resolved = leave_to_provider(fields)
    else:
        turns = settings.sessions.turns
        resolved = await resolve_input(
            fields, gateway.sessions, log.key, turns, hint_of(gateway), admit, may_be_foreign=True
        )
    stored = resolved.stored_bytes
    if resolved.referenced_bytes:
        reserve(log, gateway, log.reserved + resolved.referenced_bytes * gateway.memory_factor)
    load = max(weight + stored, _ITEM_COST * len(resolved.items))
    convert = partial(
        to_chat,
        fields,
        resolved.items,
        weight=load,
        earlier=resolved.earlier,
        needs=resolved.needs,
        is_left_to_provider=is_kept_upstream,
    )
    converted = await run_offloaded(load, convert)
    made = (*resolved.changes, *converted.chat.mended)
    indexes = ItemIndexes(converted.projection.spans, resolved.earlier)
    chat = replace(converted.chat, mended=indexes.renumber_items(made))
    return OpenedRequest(fields, body, resolved, converted, chat, is_kept_upstream)


def hint_of(gateway: Gateway) -> str:
    """Return the hint for an id that is not known here, or an empty text."""
    return _ONLY_HERE if gateway.store.is_in_process else ""


def hint_of_path(gateway: Gateway) -> str:
    """Return the hint for an id in a path, which names no model. It may be stored at a provider."""
    is_elsewhere = any(entry.provider_state for entry in gateway.settings.model_list)
    return " ".join(filter(None, (hint_of(gateway), _AT_PROVIDER if is_elsewhere else "")))


@contextmanager
def renamed_errors(opened: OpenedRequest) -> Iterator[None]:
    """Give errors the Responses API's names of fields in ``param``, and refusals the numbers of items."""
    try:
        yield
    except ProxyError as error:
        if error.of_deployment:
            raise
        error.param = rename_param(error.param, opened.converted.projection.spans, opened.resolved.earlier)
        if isinstance(error, InvalidRequest):
            opened.indexes.rename_error(error)
        raise


def unix_time() -> float:
    """Return the time in seconds."""
    return time.time()  # noqa: TID251 - `created_at` is a wall-clock field of OpenAI's format
