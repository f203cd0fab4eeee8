"""Rewrites a JSON schema for providers that compile it into a grammar, such as Anthropic's structured outputs.

The API says "For 'object' type, 'additionalProperties' must be explicitly set to false", and "For 'array' type,
property 'uniqueItems' is not supported" (litellm#19444). What the grammar cannot enforce is said in the schema's
description, as Anthropic's own SDK does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.json_text import write_json
from sanitizers.work_limit import metered

_UNENFORCED = frozenset(
    {
        *(
            "contains",
            "dependentRequired",
            "dependentSchemas",
            "else",
            "exclusiveMaximum",
            "exclusiveMinimum",
        ),
        *(
            "if",
            "maxContains",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
            "minContains",
            "minItems",
        ),
        *("minLength", "minProperties", "minimum", "multipleOf", "not", "patternProperties", "prefixItems"),
        *("propertyNames", "then", "unevaluatedProperties", "uniqueItems"),
    }
)
"""Keywords that the grammar cannot enforce, and that the API refuses."""

_OF_NAMES = frozenset({"$defs", "definitions", "properties"})
"""Keywords whose value has a schema under each name."""

_LISTS = frozenset({"allOf", "anyOf"})
_LONGEST_NOTE = 200
"""The most characters of a value that are said in a description."""


def close_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *schema* with all objects closed and without unenforceable keywords, or *schema* itself if it is so."""
    closed: dict[str, Any] = {}
    is_changed = False
    waiting: list[tuple[Mapping[str, Any], dict[str, Any]]] = [(schema, closed)]
    while waiting:
        given, made = waiting.pop()
        notes = []
        for name, value in metered(given.items()):
            if name in _UNENFORCED:
                notes.append(f"{name}: {write_json(value).decode()[:_LONGEST_NOTE]}")
                continue
            if name == "oneOf" and "anyOf" not in given:
                name, is_changed = "anyOf", True
            if name in _OF_NAMES and isinstance(value, dict):
                made[name] = {key: _begin(inner, waiting) for key, inner in value.items()}
            elif name == "items":
                made[name] = _begin(value, waiting)
            elif name in _LISTS and isinstance(value, list):
                made[name] = [_begin(inner, waiting) for inner in value]
            else:
                made[name] = value
        if given.get("type") == "object" or "properties" in given:
            is_changed = is_changed or given.get("additionalProperties") is not False
            made["additionalProperties"] = False
        if notes:
            is_changed = True
            said = given.get("description")
            note = f"({'; '.join(notes)})"
            made["description"] = f"{said} {note}" if isinstance(said, str) and said else note
    return closed if is_changed else schema


def _begin(schema: Any, waiting: list[tuple[Mapping[str, Any], dict[str, Any]]]) -> Any:
    """Return an empty object for *schema*, which is filled later, or *schema* itself if it is no object."""
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    waiting.append((schema, made))
    return made
