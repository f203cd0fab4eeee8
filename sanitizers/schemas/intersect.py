"""Join two schemas into one that requires both.

Both are flat: without ``$ref``, ``allOf`` and ``const``, and with ``type`` as a list. Two schemas of the same property
or item are joined by an ``allOf``. The rewrite flattens this later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sanitizers.schemas.keywords import is_annotation
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.size import VALUES_A_SCHEMA
from sanitizers.schemas.values import Count, distinct, identity_of, is_number, same

_MAX_BRANCHES = 16
"""The most branches that may result when each branch of one choice is joined with each of another."""

_CONDITION = ("if", "then", "else")


class _ConflictError(Exception):
    """Two values of a keyword cannot be joined."""


def intersect(first: Mapping[str, Any], second: Mapping[str, Any], count: Count) -> tuple[Schema, Schema]:
    """Return a schema that requires *first* and *second*, and the keywords of *second* that could not be joined.

    The result has the annotations of *first*, and those of *second* that *first* does not have. *count* is called with
    the number of values that were read, and may raise: the same large schemas can be joined thousands of times.
    """
    count(
        sum(len(value) for value in (*first.values(), *second.values()) if isinstance(value, Mapping | list))
    )
    both: Schema = dict(first)
    left_out: Schema = {}
    conditional = any(name in first for name in _CONDITION) and any(name in second for name in _CONDITION)
    for keyword, value in second.items():
        if keyword in _CONDITION and conditional:
            left_out[keyword] = value
        elif keyword not in first:
            both[keyword] = value
        elif not is_annotation(keyword) and not same(first[keyword], value, count):
            try:
                if keyword == "properties":
                    both[keyword] = _properties(first[keyword], value, count)
                else:
                    both[keyword] = _MERGE[keyword](first[keyword], value)
            except (KeyError, _ConflictError):
                left_out[keyword] = value
    if conditional:
        for keyword in _CONDITION:
            if keyword not in first:
                both.pop(keyword, None)
    if _closes_other(first, second) or _closes_other(second, first):
        # The usual case is a closed base that is extended. Taken literally, it forbids the extension's properties.
        left_out["additionalProperties"] = False
    _extend_maps(both, first, second, count)
    _extend_maps(both, second, first, count)
    return both, left_out


def meet_types(first: list[str], second: list[str]) -> list[str]:
    """Return the types that both lists allow. An integer is a number."""
    return [kind for kind in first if kind in second or (kind == "integer" and "number" in second)] + [
        kind for kind in second if kind == "integer" and "number" in first and kind not in first
    ]


def _types(first: Any, second: Any) -> list[str]:
    return meet_types(first, second) or _conflict()


def _values(first: Any, second: Any) -> list[Any]:
    if not isinstance(first, list) or not isinstance(second, list):
        _conflict()
    known = {identity_of(value) for value in second}
    return [value for value in first if identity_of(value) in known] or _conflict()


def _names(first: Any, second: Any) -> list[Any]:
    if not isinstance(first, list) or not isinstance(second, list):
        _conflict()
    return distinct([*first, *second])


def _schemas(first: Any, second: Any) -> Any:
    if not isinstance(first, Mapping | bool) or not isinstance(second, Mapping | bool):
        _conflict()
    if first is True or first == {}:
        return second
    if second is True or second == {}:
        return first
    return False if first is False or second is False else {"allOf": [first, second]}


def _properties(first: Any, second: Any, count: Count) -> Schema:
    if not isinstance(first, Mapping) or not isinstance(second, Mapping):
        _conflict()
    both = dict(first)
    for name, value in second.items():
        if name not in both:
            both[name] = value
        elif not same(both[name], value, count):
            both[name] = {"allOf": [both[name], value]}
    return both


def _choices(first: Any, second: Any) -> list[Any]:
    if (
        not isinstance(first, list)
        or not isinstance(second, list)
        or len(first) * len(second) > _MAX_BRANCHES
    ):
        _conflict()
    return [{"allOf": [one, other]} for one in first for other in second]


def _bound(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def merge(first: Any, second: Any) -> Any:
        if not is_number(first) or not is_number(second):
            _conflict()
        return choose(first, second)

    return merge


def _closes_other(closed: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether *closed* allows no other properties while *other* has some."""
    if closed.get("additionalProperties") is not False or "patternProperties" in closed:
        return False
    return bool(_property_names(other) - _property_names(closed))


def _extend_maps(both: Schema, of: Mapping[str, Any], other: Mapping[str, Any], count: Count) -> None:
    """Apply the ``additionalProperties`` of *of* to the properties that *other* alone lists.

    Each such property gets one more schema, one level deeper, which is counted.
    """
    rest = of.get("additionalProperties")
    if not isinstance(rest, Mapping) or not rest or "patternProperties" in of:
        return
    names = _property_names(other) - _property_names(of)
    known = both.get("properties")
    if names and isinstance(known, Mapping):
        count(VALUES_A_SCHEMA * len(names))
        both["properties"] = {
            name: {"allOf": [value, rest]} if name in names else value for name, value in known.items()
        }


def _property_names(schema: Mapping[str, Any]) -> frozenset[str]:
    properties = schema.get("properties")
    return frozenset(properties) if isinstance(properties, Mapping) else frozenset()


def _conflict() -> Any:
    raise _ConflictError


_MERGE: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "additionalProperties": _schemas,
        "anyOf": _choices,
        "contains": lambda first, second: _conflict(),
        "enum": _values,
        "exclusiveMaximum": _bound(min),
        "exclusiveMinimum": _bound(max),
        "items": _schemas,
        "maxItems": _bound(min),
        "maxLength": _bound(min),
        "maxProperties": _bound(min),
        "maximum": _bound(min),
        "minItems": _bound(max),
        "minLength": _bound(max),
        "minProperties": _bound(max),
        "minimum": _bound(max),
        "propertyNames": _schemas,
        "required": _names,
        "type": _types,
        "uniqueItems": lambda first, second: True if first is True or second is True else _conflict(),
    }
)
"""The function that joins two values of each keyword. For other keywords, different values are a conflict."""
