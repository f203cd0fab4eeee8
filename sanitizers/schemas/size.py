"""Limits for the size and depth of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.errors import Unrepairable

MAX_SCHEMAS = 5_000
"""Schemas inside one, with references resolved: references can double the number at every level."""

VALUES_A_SCHEMA = 32
"""Values that are compared or copied for the cost of one schema."""

DEEPEST_GIVEN = 128
"""Levels of JSON that are read at all, since most functions recurse."""

DEEPEST_WRITTEN = 32
"""Levels that are written. Gemini does not publish its limit ("exceeds the maximum allowed nesting depth",
gemini-cli#5923)."""


def too_large(place: str) -> Unrepairable:
    """Return the error for a schema at *place* that is too large."""
    return Unrepairable(
        "The schema is too large with its references followed.", rule="schema_too_large", param=place
    )


def check_depth(schema: Mapping[str, Any], place: str) -> None:
    """Raise :class:`Unrepairable` for a schema that is nested too deeply. It walks by levels, without recursion."""
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
