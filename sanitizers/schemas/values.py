"""Compare JSON values, group them by type, and write them as compact JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import orjson

LARGEST_EXACT = 2**53
"""The largest exact bound: bounds are doubles in Gemini's API."""

Count: TypeAlias = Callable[[int], None]
"""Counts values that were read. Raises where they are too many."""


def kind_of(value: Any) -> str:
    """Return the type of a JSON value. A number without a fraction is an integer, as in JSON Schema."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def is_number(value: Any) -> bool:
    """Tell whether *value* is a JSON number that can be compared."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _count_nothing(much: int) -> None:
    """Count nothing. This is the default for values that are compared only once."""


def same(first: Any, second: Any, count: Count = _count_nothing) -> bool:
    """Tell whether both are the same JSON value. ``1`` and ``true`` differ, though equal in Python.

    *count* is called with the number of values that were read.
    """
    count(1)
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if first is second:
            return True
        return first.keys() == second.keys() and all(
            same(value, second[key], count) for key, value in first.items()
        )
    if isinstance(first, list) and isinstance(second, list):
        return first is second or (
            len(first) == len(second)
            and all(same(one, other, count) for one, other in zip(first, second, strict=True))
        )
    return bool(first == second)


def distinct(values: list[Any]) -> list[Any]:
    """Return *values* without duplicates, in their order."""
    kept: dict[tuple[str, Any], Any] = {}
    for value in values:
        kept.setdefault(identity_of(value), value)
    return list(kept.values())


def identity_of(value: Any) -> tuple[str, Any]:
    """Return a hashable identity of *value*, since enumerations have thousands of values to look up."""
    if isinstance(value, bool | None):
        return ("constant", value)
    if isinstance(value, int | float):
        return ("number", value)
    return ("text", value) if isinstance(value, str) else ("json", as_json(value))


def as_list(value: Any) -> list[Any]:
    """Return *value* if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def group_values(values: list[Any], types: list[str] | None) -> dict[str, list[Any]]:
    """Return the distinct *values* that *types* allow, by type, in their order.

    Integers join the other numbers where *types* names ``number``, or where a value has a fraction.
    """
    groups: dict[str, list[Any]] = {}
    kinds = [(kind_of(value), value) for value in distinct(values)]
    any_number = "number" in (types or ()) or any(kind == "number" for kind, _ in kinds)
    for kind, value in kinds:
        named = "number" if kind == "integer" and any_number else kind
        if types is None or named in types or kind in types:
            groups.setdefault(named, []).append(value)
    return groups


def are_whole(values: list[Any]) -> bool:
    """Tell whether all *values* are whole numbers."""
    return all(kind_of(value) == "integer" for value in values)


def as_bounds(values: list[Any]) -> tuple[dict[str, Any], bool]:
    """Return the bounds of a group of numbers, and whether the bounds allow exactly these numbers.

    For whole numbers, the second result holds only if the schema's type is integer.
    """
    if any(abs(value) > LARGEST_EXACT for value in values):
        return {}, False
    low, high = min(values), max(values)
    return {"minimum": low, "maximum": high}, low == high or (
        are_whole(values) and high - low == len(values) - 1
    )


def as_json(value: Any) -> str:
    """Return *value* as compact JSON, or ``…`` where orjson cannot write it (a huge number, a lone surrogate)."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except (orjson.JSONEncodeError, RecursionError):
        return "…"
