"""Reads the fields of a Messages request, and raises an error that names the faulty field.

Faults that do not depend on the model are found here. An unknown field is accepted: Claude gets it, and for other
models it is dropped and reported. A strict schema would refuse clients that are newer than the proxy
(free-claude-code#1).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ProviderNeed
from proxy.core.errors import InvalidRequest
from proxy.ingress.anthropic_messages.field_types import KNOWN_FIELDS, check_field, refuse_field
from proxy.ingress.anthropic_messages.server_fields import find_needs
from proxy.ingress.anthropic_messages.thinking import EFFORTS, ReadThinking, read_format, read_thinking
from proxy.ingress.json_fields import named_model, refuse_nesting
from proxy.ingress.load_body import load_body
from proxy.ingress.parameter_limits import check_unknown
from sanitizers import Change
from sanitizers.native import Items
from sanitizers.record import record
from sanitizers.work_limit import metered

MAX_MESSAGES = 100_000
"""The most messages of a request (Anthropic's API reference, 2026-11)."""

_IGNORED = ("cache_control", "context_management", "metadata")
"""Known fields that only Claude has a use for.

The client keeps its whole history, so that ``context_management`` may go. ``metadata.user_id`` names a device and an
account, which are no matter of another provider.
"""

_TIERS = {"auto": "auto", "standard_only": "default"}


@record
class MessagesFields:
    """The checked fields of one request."""

    model: str
    items: Items
    """The list ``messages``, as it was decoded."""

    system: Any
    tools: list[Any] | None
    tool_choice: Any
    stream: bool
    thinking: ReadThinking
    parameters: Mapping[str, Any]
    """The chat parameters that follow from the fields, without tools."""

    unknown: Mapping[str, Any]
    """The fields that a chat has no place for. They are reported as dropped where a chat is sent."""

    given: Mapping[str, Any]
    """All fields as they were decoded, but for ``messages``."""

    needs: tuple[ProviderNeed, ...]
    changes: tuple[Change, ...]
    """The changes that made the body readable."""

    conversion: tuple[Change, ...]
    """The changes of values that only a chat needs."""

    body: bytes
    """The request's bytes as they were parsed, after any repair that made them readable."""

    weight: int
    """The cost of parsing the body (:func:`proxy.core.offload.parse_weight`), or 0."""


def read_fields(
    body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0, wants_answer: bool = True
) -> MessagesFields:
    """Return the fields of the request in *body*. *mends* allows texts to be changed where they cannot be read.

    ``max_tokens`` is required where the request *wants_answer*. Raises :class:`InvalidRequest`, with the field's path
    in ``param``, for anything but a JSON object, for nesting deeper than *max_nesting*, for a missing field, and for
    one of the wrong type.
    """
    fields, body, changes = load_body(body, "messages", mends=mends)
    try:
        refuse_nesting(fields, max_nesting)
        return _read(fields, body, changes, weight, wants_answer=wants_answer)
    except InvalidRequest as error:
        error.asked_model = named_model(fields)
        raise


def _read(
    fields: dict[str, Any], body: bytes, changes: tuple[Change, ...], weight: int, *, wants_answer: bool
) -> MessagesFields:
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        refuse_field("model", "Field required" if model is None else "Input should be a valid string")
    items = _read_messages(fields)
    known: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for name, value in fields.items():
        if value is None or name == "model" or name == "messages":
            continue
        if name in KNOWN_FIELDS:
            check_field(name, value)
            known[name] = value
            if name in _IGNORED:
                unknown[name] = value
        else:
            unknown[name] = value
    if unknown:
        check_unknown(unknown)
    if wants_answer and "max_tokens" not in known:
        refuse_field("max_tokens", "Field required")
    thinking = read_thinking(known)
    parameters, conversion = _read_parameters(known, thinking)
    return MessagesFields(
        model=model,
        items=items,
        system=known.get("system"),
        tools=known.get("tools"),
        tool_choice=known.get("tool_choice"),
        stream=known.get("stream", False),
        thinking=thinking,
        parameters=MappingProxyType(parameters),
        unknown=MappingProxyType(unknown),
        given=MappingProxyType({name: value for name, value in fields.items() if name != "messages"}),
        needs=tuple(find_needs(fields)),
        changes=changes,
        conversion=conversion,
        body=body,
        weight=weight,
    )


def _read_messages(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = fields.get("messages")
    if not isinstance(given, list):
        refuse_field("messages", "Field required" if given is None else "Input should be a valid list")
    if not given:
        refuse_field("messages", "at least one message is required")
    if len(given) > MAX_MESSAGES:
        refuse_field("messages", f"at most {MAX_MESSAGES} messages are taken")
    for index, item in enumerate(metered(given)):
        if item.__class__ is not dict:
            refuse_field(f"messages.{index}", "Input should be a valid dictionary")
    return given


def _read_parameters(
    known: Mapping[str, Any], thinking: ReadThinking
) -> tuple[dict[str, Any], tuple[Change, ...]]:
    """Return the chat parameters for the fields *known*, and the changes of their values.

    ``max_tokens: 0`` warms Anthropic's cache. Other providers take no less than one token.
    """
    parameters: dict[str, Any] = {}
    changes: tuple[Change, ...] = ()
    for name in ("temperature", "top_p"):
        if name in known:
            parameters[name] = known[name]
    if known.get("top_k"):
        parameters["top_k"] = known["top_k"]
    if "max_tokens" in known:
        parameters["max_tokens"] = known["max_tokens"] or 1
        if not known["max_tokens"]:
            changes = (Change("items", "replaced", 0, "output_minimum", "max_tokens"),)
    if known.get("stop_sequences"):
        parameters["stop"] = known["stop_sequences"]
    if "service_tier" in known:
        parameters["service_tier"] = _TIERS[known["service_tier"]]
    effort = (known.get("output_config") or {}).get("effort")
    if effort is not None and effort not in EFFORTS:
        changes += (Change("items", "dropped", 0, "effort_unknown", "output_config.effort"),)
    if thinking.effort is not None:
        parameters["reasoning_effort"] = thinking.effort
    if (form := read_format(known)) is not None:
        parameters["response_format"] = form
    return parameters, changes
