"""Reads the fields of a Responses request, and raises an error that names the faulty field.

Faults that do not depend on the model or on the stored conversation are found here. An unknown field is accepted and
reported, as in a chat request: codex always sends ``client_metadata``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ProviderNeed
from proxy.core.errors import InvalidRequest
from proxy.ingress.json_fields import named_model, read_model, refuse_nesting
from proxy.ingress.load_body import load_body, without_plain_entries
from proxy.ingress.openai_responses.echo import make_echo
from proxy.ingress.openai_responses.field_types import FIELD_TYPES, check_field, refuse_moved
from proxy.ingress.parameter_limits import check_unknown
from sanitizers import Change
from sanitizers.native import Items
from sanitizers.record import record
from sanitizers.work_limit import metered

LOGPROBS = "message.output_text.logprobs"
"""The entry of ``include`` that asks for log probabilities."""

_NAMED = frozenset({"model", "input", "background", "prompt"})
_HISTORY = frozenset({"conversation", "input", "previous_response_id"})
"""The fields that say or name the conversation."""

_NAMES = ("previous_response_id", "conversation")

_CHAT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "max_output_tokens": "max_completion_tokens",
        "parallel_tool_calls": "parallel_tool_calls",
        "prompt_cache_key": "prompt_cache_key",
        "safety_identifier": "safety_identifier",
        "service_tier": "service_tier",
        "temperature": "temperature",
        "top_p": "top_p",
        "user": "user",
    }
)
"""The chat parameter for each field that has one with the same values."""


@record
class ResponsesFields:
    """The checked fields of one request."""

    model: str
    items: Items
    """The request's own items. A text became one user message. Empty where only a stored conversation is named."""

    instructions: str | None
    previous_response_id: str | None
    conversation: str | None
    store: bool
    stream: bool
    truncation: str
    """``auto`` allows the history to be cut, ``disabled`` is the default."""

    tools: list[dict[str, Any]] | None
    tool_choice: Any
    parameters: Mapping[str, Any]
    """The chat parameters that follow from the fields, without tools."""

    include: frozenset[str]
    shows_thoughts: bool
    """True where the client asks for a summary of the model's thoughts."""

    echo: dict[str, Any]
    """The part of the response object that repeats the request (:func:`.echo.make_echo`)."""

    unknown: Mapping[str, Any]
    """The fields that the proxy does not know, or cannot serve for every model. They are reported as dropped."""

    given: Mapping[str, Any]
    """All fields as they were decoded, but for the input and the names of stored conversations."""

    named: Mapping[str, Any]
    """The fields that name a stored conversation, as they were decoded."""

    needs: tuple[ProviderNeed, ...]
    """The fields that only OpenAI can serve."""

    changes: tuple[Change, ...]
    body: bytes
    """The request's bytes as they were parsed, after any repair that made them readable."""

    weight: int
    """The cost of parsing the body (:func:`proxy.core.offload.parse_weight`), or 0."""


def read_fields(body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0) -> ResponsesFields:
    """Return the fields of the request in *body*. *mends* allows items to be changed where they cannot be read.

    Raises :class:`InvalidRequest` for anything but a JSON object, and for nesting deeper than *max_nesting*. The same
    error, with ``param``, is raised for a missing model, a missing input, a known field of the wrong type, and a field
    that no provider can serve through a proxy.
    """
    fields, body, changes = load_body(body, "input", mends=mends)
    try:
        refuse_nesting(without_plain_entries(fields, "input"), max_nesting)
        return _read(fields, body, changes, weight)
    except InvalidRequest as error:
        error.asked_model = named_model(fields)
        raise


def _read(fields: dict[str, Any], body: bytes, changes: tuple[Change, ...], weight: int) -> ResponsesFields:
    model = read_model(fields)
    refuse_moved(fields)
    known: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for name, value in fields.items():
        if value is None or name == "model" or name == "input":
            continue
        if name in FIELD_TYPES:
            check_field(name, value)
            known[name] = value
        elif name != "prompt":
            unknown[name] = value
    if unknown:
        check_unknown(unknown)
    _refuse_unserved(fields)
    needs = _read_prompt(fields)
    include = frozenset(known.get("include", ()))
    reasoning = known.get("reasoning", {})
    return ResponsesFields(
        model=model,
        items=_read_input(
            fields,
            has_rest="previous_response_id" in known or "conversation" in known or bool(needs),
        ),
        instructions=known.get("instructions"),
        previous_response_id=known.get("previous_response_id"),
        conversation=_read_conversation(known),
        store=known.get("store", True),
        stream=known.get("stream", False),
        truncation=known.get("truncation", "disabled"),
        tools=known.get("tools"),
        tool_choice=known.get("tool_choice"),
        parameters=MappingProxyType(_read_parameters(known, include)),
        include=include,
        shows_thoughts=bool(reasoning.get("summary") or reasoning.get("generate_summary")),
        echo=make_echo({"model": model, **known}),
        unknown=MappingProxyType(unknown),
        given=MappingProxyType({name: value for name, value in fields.items() if name not in _HISTORY}),
        named=MappingProxyType({name: fields[name] for name in _NAMES if fields.get(name) is not None}),
        needs=needs,
        changes=changes,
        body=body,
        weight=weight,
    )


def _refuse_unserved(fields: Mapping[str, Any]) -> None:
    """Refuse what would need another server than this one. Leaving it out would change the answer."""
    if fields.get("background"):
        raise InvalidRequest(
            "'background' is not supported: a response is made while its client waits. Send false, or leave it out.",
            param="background",
        )
    if fields.get("previous_response_id") is not None and fields.get("conversation") is not None:
        raise InvalidRequest(
            "'previous_response_id' and 'conversation' exclude each other: each names the history.",
            param="previous_response_id",
        )


def _read_prompt(fields: Mapping[str, Any]) -> tuple[ProviderNeed, ...]:
    """Return the need for a prompt that is stored at OpenAI, if the request names one."""
    prompt = fields.get("prompt")
    if prompt is None:
        return ()
    if not isinstance(prompt, dict) or not isinstance(prompt.get("id"), str):
        raise InvalidRequest("'prompt' must be an object with an 'id'.", param="prompt")
    message = "'prompt' is not supported: it names a prompt that is stored at OpenAI. Send its text as 'instructions'."
    return (ProviderNeed(message, "prompt", names_object=True, hides_content=True),)


def _read_input(fields: Mapping[str, Any], *, has_rest: bool) -> list[dict[str, Any]]:
    given = fields.get("input")
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    if given is not None and not isinstance(given, list):
        raise InvalidRequest("'input' must be a string or an array of items.", param="input")
    for index, item in enumerate(metered(given or ())):
        if item.__class__ is not dict:
            raise InvalidRequest(f"'input[{index}]' must be an object.", param=f"input[{index}]")
    if not given and not has_rest:
        raise InvalidRequest(
            "One of 'input', 'previous_response_id' and 'conversation' must be given.", param="input"
        )
    return given or []


def _read_conversation(known: Mapping[str, Any]) -> str | None:
    given = known.get("conversation")
    return given["id"] if isinstance(given, dict) else given


def _read_parameters(known: Mapping[str, Any], include: frozenset[str]) -> dict[str, Any]:
    """Return the chat parameters that follow from the fields *known*."""
    parameters = {name: known[field] for field, name in _CHAT_NAMES.items() if field in known}
    text, reasoning = known.get("text", {}), known.get("reasoning", {})
    if (effort := reasoning.get("effort")) is not None:
        parameters["reasoning_effort"] = effort
    if (verbosity := text.get("verbosity")) is not None:
        parameters["verbosity"] = verbosity
    if (nested := _nest_format(text.get("format"))) is not None:
        parameters["response_format"] = nested
    if LOGPROBS in include:
        parameters["logprobs"] = True
        if "top_logprobs" in known:
            parameters["top_logprobs"] = known["top_logprobs"]
    return parameters


def _nest_format(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return ``text.format``, which is flat, as chat's ``response_format``. None for plain text, chat's default."""
    if given is None or given["type"] == "text":
        return None
    if given["type"] != "json_schema":
        return {"type": given["type"]}
    named = {
        name: given[name]
        for name in ("name", "description", "schema", "strict")
        if given.get(name) is not None
    }
    return {"type": "json_schema", "json_schema": named}
