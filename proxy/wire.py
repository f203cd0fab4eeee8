"""A request's bytes become a :class:`ChatRequest`, or an error that names what is wrong. Pure.

Everything that a client can get wrong about a request by itself is found here, before anything is sent: JSON,
nesting, types, roles, content parts. What depends on the model is found later, when the model is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec
import orjson

from proxy.errors import InvalidRequest
from proxy.mend_halves import mend_halves
from proxy.parameters import PARAMETERS, check_parameter
from sanitizers import Change, Messages, Unrepairable, validate_messages


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request as the client meant it.

    *raw_messages* is the JSON that *messages* were read from, to be sent on as it is where nothing is changed; it may
    hold a key twice, so that another parser reads another history in it (:mod:`proxy.wires.openai` looks).
    *parameters* holds the known parameters that were set (null counts as not set) in the client's order,
    without ``model``, ``messages`` and the stream switches; *unknown* everything else, which goes upstream only
    where the deployment allows it by name.
    """

    model: str
    messages: Messages
    raw_messages: bytes | None
    stream: bool
    include_usage: bool
    parameters: Mapping[str, Any]
    unknown: Mapping[str, Any]
    mended: tuple[Change, ...] = ()
    """What was changed so that it could be read."""


def parse_chat_request(body: bytes, *, max_nesting: int, mends: bool = False) -> ChatRequest:
    """Return the request in *body*; *mends* says that its messages may be changed where they cannot be read otherwise.

    Raises :class:`InvalidRequest` with ``param`` for: no JSON, no object, nesting deeper than *max_nesting*, no
    model, messages that cannot be read, and a known parameter of the wrong type.
    """
    mended: tuple[Change, ...] = ()
    try:
        fields, raw_messages = load_object(body, max_nesting)
    except InvalidRequest:
        found = mend_halves(body) if mends else None
        if found is None:
            raise
        fields, raw_messages = load_object(found[0], max_nesting)
        mended = tuple(Change("shape", "replaced", at, "half_character") for at in found[1])
    model = read_model(fields)
    if "messages" not in fields:
        raise InvalidRequest("'messages' is required.", param="messages")
    messages = read_messages(fields["messages"])
    known: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for name, value in fields.items():
        if name in ("model", "messages") or value is None:
            continue
        if name in PARAMETERS:
            check_parameter(name, value)
            known[name] = value
        else:
            unknown[name] = value
    stream, include_usage = take_stream_switches(known)
    return ChatRequest(
        model=model,
        messages=messages,
        raw_messages=raw_messages,
        stream=stream,
        include_usage=include_usage,
        parameters=MappingProxyType(known),
        unknown=MappingProxyType(unknown),
        mended=mended,
    )


def read_model(fields: Mapping[str, Any]) -> str:
    """Return the model that a request names; raises :class:`InvalidRequest` where it names none."""
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise InvalidRequest("'model' is required and must be a string.", param="model")
    return model


def take_stream_switches(known: dict[str, Any]) -> tuple[bool, bool]:
    """Take the switches of streaming out of *known*: whether to stream, and whether usage is asked for."""
    stream: bool = known.pop("stream", False)
    options = known.pop("stream_options", None) or {}
    include_usage = options.get("include_usage")
    if include_usage is not None and not isinstance(include_usage, bool):
        raise InvalidRequest(
            "'stream_options.include_usage' must be a boolean.", param="stream_options.include_usage"
        )
    return stream, bool(include_usage)


def read_messages(value: Any) -> Messages:
    """Return *value* as a history; raises :class:`InvalidRequest` with the message's index in ``param``."""
    try:
        return validate_messages(value)
    except Unrepairable as error:
        raise InvalidRequest(error.message, param=error.param) from None


def load_object(body: bytes, max_nesting: int) -> tuple[dict[str, Any], bytes | None]:
    """Return the body's fields, decoded, and the bytes of ``messages`` within it.

    Raises :class:`InvalidRequest` for what is no JSON, no object, or nested deeper than *max_nesting*.
    """
    raw_messages = None
    try:
        fields = orjson.loads(body)
        if isinstance(fields, dict) and "messages" in fields:
            raw_messages = _raw_value(body, "messages")
    except orjson.JSONDecodeError as error:
        # error.msg names the fault; the document itself (error.doc) is the client's text.
        reason = (
            "nested too deeply" if "depth" in error.msg or "recursion" in error.msg.lower() else error.msg
        )
        raise InvalidRequest(
            f"The body is not valid JSON: {reason} (line {error.lineno}, column {error.colno})."
        ) from None
    if not isinstance(fields, dict):
        raise InvalidRequest("The body must be a JSON object.")
    if nesting_exceeds(fields, max_nesting):
        raise InvalidRequest(f"The body is nested deeper than {max_nesting} levels.")
    return fields, raw_messages


def _raw_value(body: bytes, name: str) -> bytes | None:
    """Return the bytes of one top-level value; None where the second reader sees the body otherwise."""
    try:
        return bytes(_TOP_LEVEL.decode(body)[name])
    except (msgspec.MsgspecError, RecursionError, KeyError):
        return None


_TOP_LEVEL = msgspec.json.Decoder(dict[str, msgspec.Raw])
"""Finds where each top-level value begins and ends without decoding it; orjson has no such view."""


def nesting_exceeds(value: Any, limit: int) -> bool:
    """Tell whether *value* holds containers nested deeper than *limit*; walks level by level, no recursion.

    Code behind us recurses (copies, schema rewrites, ``json``), so the depth is bounded where bytes come in.
    """
    level = [value]
    for _ in range(limit):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True
