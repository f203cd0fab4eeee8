"""Reads a request of the Messages API: its fields, its headers, and the chat that they become."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.core.chat_request import ChatRequest
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.anthropic_messages.answer import MessagesAnswers
from proxy.ingress.anthropic_messages.client_headers import read_headers
from proxy.ingress.anthropic_messages.errors import REQUEST_ID
from proxy.ingress.anthropic_messages.fields import MessagesFields, read_fields
from proxy.ingress.anthropic_messages.limit_headers import write_limits
from proxy.ingress.anthropic_messages.message_places import MessagePlaces
from proxy.ingress.anthropic_messages.read_request import Converted, to_chat
from proxy.ingress.routes.read_body import read_body
from proxy.ingress.token_numbers import numbers_of
from sanitizers.record import record


@record
class OpenedRequest:
    """A request that was read: its *fields*, its *body*, and the *chat* that is asked."""

    fields: MessagesFields
    body: bytes
    converted: Converted

    @property
    def chat(self) -> ChatRequest:
        """The request in the internal form."""
        return self.converted.chat

    @property
    def places(self) -> MessagePlaces:
        """The client's places of the chat messages."""
        return MessagePlaces(self.converted.projection.spans, self.fields.items)

    def make_answers(self, request: web.Request) -> MessagesAnswers:
        """Return the format of the answer to *request*."""
        facts = request[RECORD]
        return MessagesAnswers(
            self.fields.model,
            request[GATEWAY].token(),
            request_id=facts.request_id,
            tenant=facts.key,
            thinking=self.fields.thinking,
            places=self.places,
            numbers=partial(numbers_of, facts),
        )


async def open_request(request: web.Request, *, wants_answer: bool = True) -> OpenedRequest:
    """Return the request as it was read. ``max_tokens`` is required where it *wants_answer*.

    Raises :class:`proxy.core.errors.ProxyError` for a faulty request.
    """
    gateway, facts = request[GATEWAY], request[RECORD]
    facts.id_header = REQUEST_ID
    facts.write_own_limits = write_limits
    settings = gateway.settings
    body = await read_body(request, gateway, facts)
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)
    headers = read_headers(request.headers, request.query)

    def read() -> OpenedRequest:
        fields = read_fields(body, max_nesting=nesting, mends=mends, weight=weight, wants_answer=wants_answer)
        return OpenedRequest(fields, body, to_chat(fields, headers=headers, tenant=facts.key, weight=weight))

    return await run_offloaded(weight, read)
