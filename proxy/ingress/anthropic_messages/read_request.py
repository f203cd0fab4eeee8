"""Converts a Messages request into a :class:`ChatRequest`, so that every step and every provider can serve it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.core.source import ANTHROPIC_MESSAGES, MessagesRequest, Source
from proxy.ingress.anthropic_messages.client_headers import NO_HEADERS, ClientHeaders
from proxy.ingress.anthropic_messages.fields import MessagesFields, read_fields
from proxy.ingress.anthropic_messages.known_tools import read_known_tools
from proxy.ingress.provider_needs import provider_need
from proxy.ingress.request_weight import request_weight
from sanitizers import Unrepairable
from sanitizers.native.messages.project import MessagesProjection, project
from sanitizers.native.messages.tool_choice import read_tool_choice
from sanitizers.record import record
from sanitizers.validation import read_history


@record
class Converted:
    """A request in the internal form, with the *projection* that connects it with the client's messages."""

    chat: ChatRequest
    projection: MessagesProjection


def read_request(body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0) -> ChatRequest:
    """Return the request in *body*, without its headers. Raises as :func:`read_fields` and :func:`to_chat` do."""
    fields = read_fields(body, max_nesting=max_nesting, mends=mends, weight=weight)
    return to_chat(fields, weight=weight).chat


def to_chat(
    fields: MessagesFields, *, headers: ClientHeaders = NO_HEADERS, tenant: str = "", weight: int = 0
) -> Converted:
    """Return the chat request of *fields*. *headers* are those that go to Anthropic. *tenant* may open its envelopes.

    *weight* is the cost of parsing the body. Raises :class:`InvalidRequest`, with the client's place in ``param``, for
    what cannot be read.
    """
    try:
        return _convert(fields, headers, tenant, max(weight, fields.weight))
    except Unrepairable as error:
        refused = InvalidRequest(error.message, param=error.param)
        refused.asked_model = fields.model
        raise refused from None


def _convert(fields: MessagesFields, headers: ClientHeaders, tenant: str, weight: int) -> Converted:
    found = read_known_tools(fields.tools)
    tools = found.tools
    choice = read_tool_choice(fields.tool_choice, tools)
    projection = project(fields.items, fields.system, tenant=tenant)
    outline = read_history(projection.messages)
    parameters: dict[str, Any] = dict(fields.parameters)
    if tools.chat_tools:
        parameters["tools"] = tools.chat_tools
        if choice.choice is not None:
            parameters["tool_choice"] = choice.choice
        if choice.parallel_tool_calls is not None:
            parameters["parallel_tool_calls"] = choice.parallel_tool_calls
    carried = MappingProxyType(parameters)
    native = MessagesRequest(
        items=fields.items,
        are_own=True,
        projection=projection,
        fields=fields.given,
        parameters=carried,
        conversion=(
            *fields.conversion,
            *tools.changes,
            *choice.changes,
            *projection.changes,
        ),
        headers=headers.fields,
        query=headers.query,
    )
    chat = ChatRequest(
        model=fields.model,
        messages=outline.messages,
        stream=fields.stream,
        include_usage=True,
        parameters=carried,
        unknown=fields.unknown,
        weight=request_weight(fields.body, weight, outline),
        outline=outline,
        known_tools=found.known,
        source=Source(ANTHROPIC_MESSAGES, fields.body, outline.messages, native),
        mended=(*fields.changes, *native.conversion),
        needs=(*fields.needs, *map(provider_need, (*tools.needs, *projection.needs))),
    )
    return Converted(chat, projection)
