"""Limits for the size and depth of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.errors import Unrepairable
from sanitizers.schemas.keywords import STRUCTURE

MAX_SCHEMAS = 5_000
"""The most schemas inside one schema, with references resolved. References can double the number at every level."""

VALUES_A_SCHEMA = 32
"""The number of values whose comparison or copying counts as one schema of :data:`MAX_SCHEMAS`."""

DEEPEST_GIVEN = 128
"""The most levels of JSON in a given schema, since most functions recurse."""

DEEPEST_WRITTEN = 32
"""The most levels of schemas that are written.

Gemini does not publish its limit ("exceeds the maximum allowed nesting depth", gemini-cli#5923).
"""

_HOLDING = STRUCTURE | {"$ref", "additionalProperties", "allOf", "anyOf", "oneOf"}
"""Keywords that hold schemas which are written."""


def too_large(place: str) -> Unrepairable:
    """Return the error for a schema at *place* that is too large."""
    return Unrepairable(
        "The schema is too large with its references followed.", rule="schema_too_large", param=place
    )


def check_depth(schema: Mapping[str, Any], place: str) -> None:
    """Raise :class:`Unrepairable` for a schema that is nested too deeply.

    The walk goes level by level, without recursion.
    """
    level: list[Any] = [schema]
    for _ in range(DEEPEST_GIVEN):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, Mapping) else node)
            if isinstance(child, Mapping | list)
        ]
        if not level:
            return
    raise Unrepairable("The schema is nested too deeply.", rule="schema_too_deep", param=place)


def is_leaf(given: Any) -> bool:
    """Tell whether *given* holds no schema but an array's text items, and cleaning adds no schema to it."""
    if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
        return False
    holds = given.keys() & _HOLDING
    values = given.get("enum", ())
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        return False
    return (
        not holds if given["type"] != "array" else holds == {"items"} and given["items"] == {"type": "string"}
    )
