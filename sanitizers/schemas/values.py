"""Group the values of an enumeration by type."""

from __future__ import annotations

from typing import Any

from sanitizers.schemas.intersect import distinct

LARGEST_EXACT = 2**53
"""The largest exact bound: bounds are doubles in Gemini's API."""


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


def as_list(value: Any) -> list[Any]:
    """Return *value* if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def group_values(values: list[Any], types: list[str] | None) -> dict[str, list[Any]]:
    """Return the distinct *values* that *types* allow, by type, in their order.

    Integers are grouped with other numbers where numbers are allowed, or where there are others.
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

    For integers this holds in a type that is integer too.
    """
    if any(abs(value) > LARGEST_EXACT for value in values):
        return {}, False
    low, high = min(values), max(values)
    return {"minimum": low, "maximum": high}, low == high or (
        are_whole(values) and high - low == len(values) - 1
    )
