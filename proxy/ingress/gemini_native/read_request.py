"""Converts a request to Gemini into a :class:`ChatRequest`, so that every step and every provider can serve it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.core.source import GEMINI_NATIVE, GeminiRequest, Source
from proxy.ingress.gemini_native.field_types import refuse_field
from proxy.ingress.gemini_native.fields import GeminiFields, read_fields
from proxy.ingress.gemini_native.known_tools import read_known_tools
from proxy.ingress.provider_needs import provider_need
from proxy.ingress.request_weight import request_weight
from sanitizers import Unrepairable
from sanitizers.native.gemini.project import GeminiProjection, project_contents
from sanitizers.native.gemini.tool_choice import read_tool_choice
from sanitizers.outline import outline_of
from sanitizers.record import record


@record
class Converted:
    """A request in the internal form, with the *projection* that connects it with the client's contents."""

    chat: ChatRequest
    projection: GeminiProjection


def read_request(body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0) -> ChatRequest:
    """Return the request in *body*, which names its model itself and is answered whole.

    Raises as :func:`read_fields` and :func:`to_chat` do.
    """
    fields = read_fields(body, model="", max_nesting=max_nesting, mends=mends, weight=weight)
    if not fields.model:
        raise InvalidRequest("'model' must be a string that is not empty.", param="model")
    return to_chat(fields, weight=weight).chat


def to_chat(fields: GeminiFields, *, tenant: str = "", weight: int = 0) -> Converted:
    """Return the chat request of *fields*. *tenant* may open its envelopes.

    *weight* is the cost of parsing the body. Raises :class:`InvalidRequest`, with the client's place in ``param``, for
    what cannot be read.
    """
    try:
        return _convert(fields, tenant, max(weight, fields.weight))
    except Unrepairable as error:
        refused = InvalidRequest(error.message, param=error.param)
        refused.asked_model = fields.model
        raise refused from None


def _convert(fields: GeminiFields, tenant: str, weight: int) -> Converted:
    found = read_known_tools(fields.tools)
    tools = found.tools
    choice = read_tool_choice(fields.tool_config, tools)
    projection = project_contents(fields.items, fields.system, tenant=tenant)
    if not projection.messages:
        refuse_field("contents", "must have at least one content")
    outline = outline_of(projection.messages)  # the projection makes no message that cannot be read
    parameters: dict[str, Any] = dict(fields.parameters)
    if choice.chat_tools:
        parameters["tools"] = choice.chat_tools
        if choice.choice is not None:
            parameters["tool_choice"] = choice.choice
    carried = MappingProxyType(parameters)
    native = GeminiRequest(
        items=fields.items,
        are_own=True,
        projection=projection,
        fields=fields.given,
        parameters=carried,
        conversion=(*fields.conversion, *tools.changes, *choice.changes, *projection.changes),
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
        known_tools=found.known if choice.chat_tools is tools.chat_tools else None,
        source=Source(GEMINI_NATIVE, fields.body, outline.messages, native),
        mended=(*fields.changes, *native.conversion),
        needs=(*fields.needs, *map(provider_need, (*tools.needs, *projection.needs))),
    )
    return Converted(chat, projection)
