"""The types of the fields of a Messages request, and the error for a value of another type.

The errors have Anthropic's words: the field's path, a colon and the fault. The provider checks ranges, since they
differ by model and by version. Sources: Anthropic's API reference, and the types of anthropic 2.12 (2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from proxy.core.errors import InvalidRequest
from proxy.ingress.parameter_limits import check_entries
from sanitizers.work_limit import metered

_MAX_STOPS = 1_024


class _Kind(NamedTuple):
    """A type: whether a value has it, and the words for one that has not."""

    fits: Callable[[Any], bool]
    words: str


def _is_number(value: Any) -> bool:
    is_int = type(value) is int and abs(value) < 2**53
    return is_int or (type(value) is float and abs(value) < float("inf"))


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**53


_TEXT = _Kind(lambda value: isinstance(value, str), "Input should be a valid string")
_FLAG = _Kind(lambda value: isinstance(value, bool), "Input should be a valid boolean")
_NUMBER = _Kind(_is_number, "Input should be a valid number")
_COUNT = _Kind(_is_count, "Input should be a valid integer greater than or equal to 0")
_OBJECT = _Kind(lambda value: isinstance(value, dict), "Input should be a valid dictionary")
_LIST = _Kind(lambda value: isinstance(value, list), "Input should be a valid list")
_TEXT_OR_LIST = _Kind(
    lambda value: isinstance(value, str | list), "Input should be a valid string or a valid list"
)
_TEXT_OR_OBJECT = _Kind(
    lambda value: isinstance(value, str | dict), "Input should be a valid string or a valid dictionary"
)
_TIER = _Kind(
    lambda value: value in ("auto", "standard_only") if isinstance(value, str) else False,
    "Input should be 'auto' or 'standard_only'",
)

_FIELDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "cache_control": _OBJECT,
        "container": _TEXT_OR_OBJECT,
        "context_management": _OBJECT,
        "max_tokens": _COUNT,
        "mcp_servers": _LIST,
        "metadata": _OBJECT,
        "output_config": _OBJECT,
        "output_format": _OBJECT,
        "service_tier": _TIER,
        "stop_sequences": _LIST,
        "stream": _FLAG,
        "system": _TEXT_OR_LIST,
        "temperature": _NUMBER,
        "thinking": _OBJECT,
        "tool_choice": _OBJECT,
        "tools": _LIST,
        "top_k": _COUNT,
        "top_p": _NUMBER,
    }
)

KNOWN_FIELDS = frozenset(_FIELDS)
"""Every field with a known type, but for ``model`` and ``messages``. A field of null counts as not set."""

_PARTS: Mapping[str, _Kind] = MappingProxyType(
    {
        "metadata.user_id": _TEXT,
        "output_config.effort": _TEXT,
        "output_config.format": _OBJECT,
        "thinking.budget_tokens": _COUNT,
        "thinking.display": _TEXT,
        "thinking.type": _TEXT,
    }
)
"""The fields within objects. Others within them are passed on."""


def refuse_field(place: str, words: str) -> NoReturn:
    """Raise :class:`InvalidRequest` with the path *place* in front of its *words*, as Anthropic writes them."""
    raise InvalidRequest(f"{place}: {words}", param=place)


def check_field(name: str, value: Any) -> None:
    """Raise :class:`InvalidRequest`, with the path in ``param``, unless *value* has the type of the field *name*.

    *name* is one of :data:`KNOWN_FIELDS`. An error tells nothing of the value.
    """
    kind = _FIELDS[name]
    if not kind.fits(value):
        refuse_field(name, kind.words)
    if isinstance(value, dict):
        for place, part in _PARTS.items():
            outer, _, inner = place.partition(".")
            if outer == name and value.get(inner) is not None and not part.fits(value[inner]):
                refuse_field(place, part.words)
    if name == "stop_sequences":
        _check_stops(value)
    elif name == "thinking" and value.get("type") is None:
        refuse_field("thinking.type", "Field required")
    elif name == "output_config":
        _check_format("output_config.format", value.get("format"))
    elif name == "output_format":
        _check_format("output_format", value)
    elif name in ("metadata", "tool_choice", "tools"):
        check_entries(name, value)


def _check_stops(stops: list[Any]) -> None:
    if len(stops) > _MAX_STOPS:
        refuse_field("stop_sequences", f"at most {_MAX_STOPS} entries are taken")
    for at, stop in enumerate(metered(stops)):
        if not isinstance(stop, str):
            refuse_field(f"stop_sequences.{at}", _TEXT.words)


def _check_format(place: str, given: Any) -> None:
    if given is None:
        return
    check_entries("response_format", given)
    if given.get("type") != "json_schema":
        refuse_field(f"{place}.type", "Input should be 'json_schema'")
    if not isinstance(given.get("schema"), dict):
        refuse_field(f"{place}.schema", _OBJECT.words if "schema" in given else "Field required")
