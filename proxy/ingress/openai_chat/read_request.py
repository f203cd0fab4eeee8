"""Reads a request's bytes into a :class:`ChatRequest`, or raises an error that names the fault.

Faults that do not depend on the model are found here, before anything is sent: JSON, nesting, types, roles, content
parts. Faults that depend on the model are found in planning.
"""

from __future__ import annotations

from itertools import compress
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest, KnownTools
from proxy.core.errors import InvalidRequest
from proxy.core.source import OPENAI_CHAT, Source
from proxy.ingress.json_fields import (
    named_model,
    read_model,
    refuse_nesting,
    take_stream_switches,
)
from proxy.ingress.load_body import load_body
from proxy.ingress.openai_chat.known_tools import known_tools
from proxy.ingress.openai_chat.parameters import PARAMETERS, check_parameter
from proxy.ingress.parameter_limits import check_unknown
from proxy.ingress.request_weight import request_weight
from sanitizers import Change, Unrepairable
from sanitizers.outline import DEPTH, Outline, outline_of
from sanitizers.validation import read_history

_CONTAINERS = frozenset({dict, list})


def parse_chat_request(body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0) -> ChatRequest:
    """Return the request in *body*. *mends* allows messages to be changed where they cannot be read otherwise.

    *weight* is the cost of parsing (:func:`proxy.core.offload.parse_weight`), where the caller knows it. Raises
    :class:`InvalidRequest` for anything but a JSON object, and for nesting deeper than *max_nesting*. The same error,
    with ``param``, is raised for a missing model, unreadable messages, and a known parameter of the wrong type.
    """
    fields, body, mended = load_body(body, "messages", mends=mends)
    try:
        return _read(fields, body, mended, max_nesting, weight)
    except InvalidRequest as error:
        error.asked_model = named_model(fields)
        raise


def _read(
    fields: dict[str, Any], body: bytes, mended: tuple[Change, ...], max_nesting: int, weight: int
) -> ChatRequest:
    given = fields.get("messages")
    outline = outline_of(given) if isinstance(given, list) else None
    known = known_tools(fields.get("tools"))
    if rest := _of_unknown_depth(fields, outline, known, max_nesting):
        refuse_nesting(rest, max_nesting)
    model = read_model(fields)
    if "messages" not in fields:
        raise InvalidRequest("'messages' is required.", param="messages")
    try:
        outline = read_history(given, outline)
    except Unrepairable as error:
        raise InvalidRequest(error.message, param=error.param) from None
    parameters: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for name, value in fields.items():
        if name in ("model", "messages") or value is None:
            continue
        if name == "tools" and known is not None and known.are_checked:
            parameters[name] = known.tools
        elif name in PARAMETERS:
            check_parameter(name, value)
            parameters[name] = value
        else:
            unknown[name] = value
    if unknown:
        check_unknown(unknown)
    stream, include_usage = take_stream_switches(parameters)
    return ChatRequest(
        model=model,
        messages=outline.messages,
        stream=stream,
        include_usage=include_usage,
        parameters=MappingProxyType(parameters),
        unknown=MappingProxyType(unknown),
        outline=outline,
        known_tools=known,
        source=Source(OPENAI_CHAT, body, outline.messages),
        mended=mended,
        weight=request_weight(body, weight, outline),
    )


def _of_unknown_depth(
    fields: dict[str, Any], outline: Outline | None, known: KnownTools | None, max_nesting: int
) -> dict[str, Any]:
    """Return the lists and objects among *fields*, without the messages and tools that are known to be flat enough."""
    are_containers = map(_CONTAINERS.__contains__, map(type, fields.values()))
    rest = dict(compress(fields.items(), are_containers))
    if outline is not None and max_nesting >= 2 + DEPTH:
        del rest["messages"]
        if outline.odd:
            rest["messages"] = [outline.messages[index] for index in outline.odd]
    if known is not None and max_nesting >= 1 + known.depth:
        del rest["tools"]
    return rest
