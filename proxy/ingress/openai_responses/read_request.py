"""Converts a Responses request into a :class:`ChatRequest`, so that every step and every provider can serve it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import is_
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest, ProviderNeed
from proxy.core.errors import InvalidRequest, NotFound
from proxy.core.source import OPENAI_RESPONSES, ResponsesRequest, Source
from proxy.ingress.openai_responses.fields import ResponsesFields, read_fields
from proxy.ingress.openai_responses.known_tools import read_known_tools
from proxy.ingress.request_weight import request_weight
from sanitizers import Unrepairable
from sanitizers.native import Items
from sanitizers.native.protocol import Need
from sanitizers.native.responses.project import ResponsesProjection, project
from sanitizers.native.responses.tools import ToolTable, read_tool_choice
from sanitizers.record import record
from sanitizers.validation import read_history


class ForeignContent(InvalidRequest):
    """An encrypted content stands for a part of the conversation, and was not made here. The code is OpenAI's."""

    code = "invalid_encrypted_content"


_ERRORS: Mapping[str, type[InvalidRequest]] = MappingProxyType(
    {"invalid_encrypted_content": ForeignContent, "item_not_found": NotFound}
)
"""The error for a rule that is broken, where it is another one than :class:`InvalidRequest`.

OpenAI answers a reference to an unknown item with a 404.
"""

_OF_TOOLS = ("parallel_tool_calls",)
"""Parameters that providers refuse in a request without tools."""


@record
class Converted:
    """A request in the internal form, with what its answer needs: the *table* of tools, and the *projection*."""

    chat: ChatRequest
    table: ToolTable
    projection: ResponsesProjection


def read_request(body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0) -> ChatRequest:
    """Return the request in *body*, for callers without stored conversations. Raises as :func:`read_fields` does.

    A request that names a conversation is refused, since its answer would not know the conversation.
    """
    fields = read_fields(body, max_nesting=max_nesting, mends=mends, weight=weight)
    for name in ("previous_response_id", "conversation"):
        if getattr(fields, name) is not None:
            error = InvalidRequest(f"'{name}' is not supported here: no conversation is stored.", param=name)
            error.asked_model = fields.model
            raise error
    return to_chat(fields, fields.items, weight=weight).chat


def to_chat(
    fields: ResponsesFields,
    items: Items,
    *,
    weight: int = 0,
    earlier: int = 0,
    needs: tuple[ProviderNeed, ...] = (),
    is_left_to_provider: bool = False,
) -> Converted:
    """Return the chat request with *items*: those of the stored conversation, and then the request's own.

    *weight* is the cost of parsing the body. *earlier* is the number of items from the conversation. *needs* are those
    for a conversation that only a provider may know. The chat has these and all others. With *is_left_to_provider* the
    model's provider stores responses. Raises
    :class:`InvalidRequest`, with the item's place in ``param``, for what cannot be read.
    """
    try:
        converted = _convert(fields, items, max(weight, fields.weight), earlier, (*fields.needs, *needs))
        return _left_to_provider(converted) if is_left_to_provider else converted
    except Unrepairable as error:
        place = _own_place(error.param, earlier)
        refused = _ERRORS.get(error.rule, InvalidRequest)(
            error.message.replace(error.param, place), param=place
        )
        refused.asked_model = fields.model
        raise refused from None


def _convert(
    fields: ResponsesFields, items: Items, weight: int, earlier: int, needs: tuple[ProviderNeed, ...]
) -> Converted:
    found = read_known_tools(fields.tools, items)
    table, known = found.table, found.known
    choice, choice_changes, allowed, forced = read_tool_choice(fields.tool_choice, table)
    projection = project(items, table, fields.instructions, is_partial=bool(needs))
    given = fields.given
    if needs:
        given = {
            **given,
            **{need.param: fields.named[need.param] for need in needs if need.param in fields.named},
        }
    if table.needs or forced is not None or projection.needs:
        read = (*table.needs, *(() if forced is None else (forced,)), *projection.needs)
        needs = (*needs, *(_provider_need(need, earlier) for need in read))
    outline = read_history(projection.messages)
    parameters: dict[str, Any] = dict(fields.parameters)
    tools = table.chat_tools
    if allowed is not None:
        tools = [tool for tool in tools if tool["function"]["name"] in allowed]
        known = None
    if tools:
        parameters["tools"] = tools
        if choice is not None:
            parameters["tool_choice"] = choice
    else:
        for name in _OF_TOOLS:
            parameters.pop(name, None)
    carried = MappingProxyType(parameters)
    native = ResponsesRequest(
        items=items,
        are_own=len(items) == len(fields.items) and all(map(is_, items, fields.items)),
        projection=projection,
        table=table,
        fields=given,
        parameters=carried,
        conversion=(*table.changes, *choice_changes, *projection.changes),
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
        known_tools=known,
        source=Source(OPENAI_RESPONSES, fields.body, outline.messages, native),
        mended=(*fields.changes, *native.conversion),
        allows_cuts=fields.truncation == "auto",
        needs=needs,
    )
    return Converted(chat, table, projection)


def _left_to_provider(converted: Converted) -> Converted:
    chat = converted.chat
    source = chat.source
    assert source is not None, "a request of this format has a source"
    assert isinstance(source.native, ResponsesRequest), "a request of this format has a source"
    native = replace(source.native, is_left_to_provider=True)
    return replace(converted, chat=replace(chat, source=replace(source, native=native)))


def _provider_need(need: Need, earlier: int) -> ProviderNeed:
    """Return *need* with the place in the request's own ``input``, which has *earlier* items less."""
    place = _own_place(need.param, earlier)
    return ProviderNeed(
        need.message.replace(need.param, place),
        place,
        _ERRORS.get(need.rule, InvalidRequest),
        names_object=need.names_object,
        holds_history=need.holds_history,
        can_be_left_out=need.can_be_left_out,
        hides_content=need.rule != "tool_choice" and not need.can_be_left_out,
    )


def _own_place(param: str, earlier: int) -> str:
    """Return *param* with the item's place in the request's own ``input``, which has *earlier* items less."""
    if param.startswith("messages"):
        return "input"  # a fault of the whole history
    head, _, rest = param.partition("]")
    if not earlier or not head.startswith("input["):
        return param
    index = int(head.removeprefix("input[")) - earlier
    return f"input[{index}]{rest}" if index >= 0 else "input"
