"""How large a schema may be, and how deep it may lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.errors import Unrepairable

MOST_SCHEMAS = 5_000
"""Schemas in one, references followed: those can be written so that they double at every level."""

VALUES_A_SCHEMA = 32
"""Values that are compared or copied for the price of one schema."""

DEEPEST_GIVEN = 128
"""Levels of JSON that are gone into at all: most of what is done with them recurses."""

DEEPEST_WRITTEN = 32
"""Levels that are written; Gemini's own limit is not told ("exceeds the maximum allowed nesting depth",
gemini-cli#5923)."""


def too_large(place: str) -> Unrepairable:
    """Return the refusal of the schema at *place*."""
    return Unrepairable(
        "The schema is too large with its references followed.", rule="schema_too_large", param=place
    )


def check_depth(schema: Mapping[str, Any], place: str) -> None:
    """Raise :class:`Unrepairable` for a schema that is nested too deeply; walks level by level, no recursion."""
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
