"""The types of the fields of a Responses request, and the fields that it cannot have.

Sources: OpenAI's API reference and ``ResponseCreateParams`` of openai-python 3.54 (2026-11), and the fields that seven
clients were seen to send. The provider checks most ranges, since they differ by model.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from proxy.core.errors import InvalidRequest
from proxy.ingress.parameter_limits import check_entries
from proxy.ingress.parameter_types import Count, Flag, Kinds, Number, Text, check_type, kinds_of

_OBJECT = dict[str, Any]
_SUMMARY = Literal["auto", "concise", "detailed"] | None

FIELD_TYPES: Kinds = kinds_of(
    {
        "background": Flag,
        "conversation": Text | _OBJECT,
        "include": list[Text],
        "instructions": Text,
        "max_output_tokens": Count,
        "max_tool_calls": Count,
        "metadata": dict[Text, Text],
        "parallel_tool_calls": Flag,
        "previous_response_id": Text,
        "prompt_cache_key": Text,
        "reasoning": _OBJECT,
        "safety_identifier": Text,
        "service_tier": Text,
        "store": Flag,
        "stream": Flag,
        "stream_options": _OBJECT,
        "temperature": Number,
        "text": _OBJECT,
        "tool_choice": Literal["none", "auto", "required"] | _OBJECT,
        "tools": list[_OBJECT],
        "top_logprobs": Annotated[int, Field(strict=True, ge=0, le=20)],
        "top_p": Number,
        "truncation": Literal["auto", "disabled"],
        "user": Text,
    }
)
"""Every field but ``model`` and ``input``, with its type. A field of null counts as not set."""

_PARTS: Kinds = kinds_of(
    {
        "conversation.id": Text,
        "reasoning.effort": Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None,
        "reasoning.generate_summary": _SUMMARY,
        "reasoning.summary": _SUMMARY,
        "stream_options.include_obfuscation": Flag | None,
        "text.format": _OBJECT | None,
        "text.verbosity": Text | None,
    }
)
"""The fields within objects. Others within them are passed on."""

_FORMAT_TYPES: Kinds = kinds_of(
    {
        "text.format.description": Text | None,
        "text.format.name": Text,
        "text.format.schema": _OBJECT,
        "text.format.strict": Flag | None,
        "text.format.type": Literal["text", "json_object", "json_schema"],
    }
)

MOVED: Mapping[str, str] = MappingProxyType(
    {
        "function_call": "tool_choice",
        "functions": "tools",
        "max_completion_tokens": "max_output_tokens",
        "max_tokens": "max_output_tokens",
        "messages": "input",
        "response_format": "text.format",
    }
)
"""Fields of chat completions that are refused, with the field of the Responses API in their place.

Without them the answer would be another one than the client asked for, and nothing would say so (litellm#37125).
"""

_MAX_INCLUDE = 64
_METADATA_PAIRS, _METADATA_KEY, _METADATA_VALUE = 16, 64, 512


def check_field(name: str, value: Any) -> None:
    """Raise :class:`InvalidRequest`, with the field in ``param``, unless *value* has the type of the field *name*.

    *name* is a key of :data:`FIELD_TYPES`.
    """
    check_type(name, value, FIELD_TYPES[name])
    if isinstance(value, dict):
        for place, kind in _PARTS.items():
            outer, _, inner = place.partition(".")
            if outer == name and (inner in value or place == "conversation.id"):
                check_type(place, value.get(inner), kind)
    if name == "text" and value.get("format") is not None:
        _check_format(value["format"])
    elif name == "metadata":
        _check_metadata(value)
    elif name == "include" and len(value) > _MAX_INCLUDE:
        raise InvalidRequest(f"Invalid value for 'include': at most {_MAX_INCLUDE} entries.", param="include")


def refuse_moved(fields: Mapping[str, Any]) -> None:
    """Raise :class:`InvalidRequest` for a field of chat completions that has another name in the Responses API."""
    for name, place in MOVED.items():
        if fields.get(name) is not None:
            raise InvalidRequest(
                f"Unsupported parameter: '{name}'. In the Responses API, this parameter has moved to '{place}'. "
                "Try again with the new parameter.",
                param=name,
            )


def _check_format(given: dict[str, Any]) -> None:
    try:
        check_entries("response_format", given)
    except InvalidRequest as error:
        words = error.message.replace("response_format", "text.format")
        raise InvalidRequest(words, param="text.format") from None
    _check_part(given, "type")
    if given["type"] != "json_schema":
        return
    if "json_schema" in given and "schema" not in given:
        raise InvalidRequest(
            "Unsupported parameter: 'text.format.json_schema'. In the Responses API its fields, such as 'name' and "
            "'schema', stand in 'text.format' itself.",
            param="text.format.json_schema",
        )
    for name in ("name", "schema", "strict", "description"):
        _check_part(given, name)


def _check_part(given: dict[str, Any], name: str) -> None:
    place = f"text.format.{name}"
    if given.get(name) is None and name in ("name", "schema", "type"):
        raise InvalidRequest(f"Missing required parameter: '{place}'.", param=place)
    check_type(place, given.get(name), _FORMAT_TYPES[place])


def _check_metadata(given: dict[str, str]) -> None:
    """Refuse metadata beyond OpenAI's limits, since it is stored and repeated."""
    if len(given) > _METADATA_PAIRS:
        raise InvalidRequest(
            f"Invalid value for 'metadata': at most {_METADATA_PAIRS} pairs, and it has {len(given)}.",
            param="metadata",
        )
    for key, value in given.items():
        if len(key) > _METADATA_KEY or len(value) > _METADATA_VALUE:
            raise InvalidRequest(
                f"Invalid value for 'metadata': keys have at most {_METADATA_KEY} characters, and values "
                f"{_METADATA_VALUE}.",
                param="metadata",
            )
