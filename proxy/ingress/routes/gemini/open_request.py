"""Reads a request of Gemini's API: its fields, and the chat that they become."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.core.chat_request import ChatRequest
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.gemini_native.answer import GeminiAnswers
from proxy.ingress.gemini_native.fields import GeminiFields, read_fields
from proxy.ingress.gemini_native.places import ContentPlaces
from proxy.ingress.gemini_native.read_request import Converted, to_chat
from proxy.ingress.routes.read_body import read_body
from proxy.ingress.token_numbers import numbers_of
from sanitizers.record import record

_SSE = "sse"
_FORMS = ("alt", "$alt")
"""The parameters of the query that name the form of an answer (cloud.google.com/apis/docs/system-parameters)."""


@record
class OpenedRequest:
    """A request that was read: its *fields*, its *body*, and the *chat* that is asked."""

    fields: GeminiFields
    body: bytes
    converted: Converted

    @property
    def chat(self) -> ChatRequest:
        """The request in the internal form."""
        return self.converted.chat

    @property
    def places(self) -> ContentPlaces:
        """The client's places of the chat messages."""
        return ContentPlaces(self.converted.projection.spans, self.fields.items)

    def make_answers(self, request: web.Request) -> GeminiAnswers:
        """Return the format of the answer to *request*. A stream is one JSON array, unless it asks for events."""
        facts = request[RECORD]
        return GeminiAnswers(
            self.fields.model,
            request[GATEWAY].token(),
            tenant=facts.key,
            shows_thoughts=self.fields.include_thoughts,
            is_array=self.fields.stream and all(request.query.get(name) != _SSE for name in _FORMS),
            places=self.places,
            numbers=partial(numbers_of, facts),
        )


async def open_request(
    request: web.Request, model: str, *, stream: bool = False, wants_answer: bool = True
) -> OpenedRequest:
    """Return the request for *model* as it was read. Contents are required where it *wants_answer*.

    Raises :class:`proxy.core.errors.ProxyError` for a faulty request.
    """
    gateway, facts = request[GATEWAY], request[RECORD]
    body = await read_body(request, gateway, facts)
    return await read_opened(request, body, model, stream=stream, wants_answer=wants_answer)


async def read_opened(
    request: web.Request, body: bytes, model: str, *, stream: bool = False, wants_answer: bool = True
) -> OpenedRequest:
    """Return the request in *body*, which was read already. Raises as :func:`open_request` does."""
    facts, settings = request[RECORD], request[GATEWAY].settings
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)

    def read() -> OpenedRequest:
        fields = read_fields(
            body,
            model=model,
            stream=stream,
            max_nesting=nesting,
            mends=mends,
            weight=weight,
            wants_answer=wants_answer,
        )
        return OpenedRequest(fields, body, to_chat(fields, tenant=facts.key, weight=weight))

    return await run_offloaded(weight, read)
