"""Generates a plausible value for a schema, so that the model's calls usually pass the caller's validation.

The module reads both dialects: the proto ``Schema`` (types in capitals) and JSON Schema as in ``parametersJsonSchema``.
The same schema always gives the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

MAX_DEPTH = 8
"""Deepest level of a value. Below it, every value is a short text, so a recursive schema ends."""
PLAUSIBLE = {
    "city": "Paris",
    "location": "Paris",
    "country": "France",
    "query": "weather in Paris",
    "path": "README.md",
    "file": "README.md",
    "url": "https://example.com/",
    "email": "ada@example.com",
    "name": "Ada",
    "date": "2026-01-01",
    "language": "en",
    "command": "ls",
}
"""Values of string properties, by a word in the property's name."""


def value_for(schema: Any, name: str = "value", *, root: Schema | None = None, depth: int = 0) -> Any:
    """Return a plausible value for *schema*, with required properties only. An enum gives its first value.

    *name* is the property's name, which decides the text of a string. ``$ref`` is looked up in *root*.
    """
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return _string(name, {})
    root = schema if root is None else root
    schema = _resolved(schema, root)
    for keyword in ("const", "default", "example"):
        if keyword in schema:
            return schema[keyword]
    if isinstance(schema.get("enum"), list | tuple) and schema["enum"]:
        return schema["enum"][0]
    branches = next((schema[key] for key in ("anyOf", "oneOf", "allOf") if schema.get(key)), None)
    if isinstance(branches, list | tuple):
        return value_for(_first_typed(branches), name, root=root, depth=depth + 1)
    return _typed(_type_of(schema), schema, name, root, depth)


def _typed(kind: str, schema: Schema, name: str, root: Schema, depth: int) -> Any:
    if kind == "OBJECT":
        return _object(schema, root, depth)
    if kind == "ARRAY":
        length = min(max(1, _to_int(schema.get("minItems"), 1)), 16)
        return [value_for(schema.get("items"), name, root=root, depth=depth + 1)] * length
    if kind == "INTEGER":
        return _bounded(schema, 1)
    if kind == "NUMBER":
        return _bounded(schema, 1.5)
    if kind == "BOOLEAN":
        return True
    return None if kind == "NULL" else _string(name, schema)


def _object(schema: Schema, root: Schema, depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, list | tuple):
        return {}
    return {
        key: value_for(properties[key], key, root=root, depth=depth + 1)
        for key in required
        if isinstance(key, str) and key in properties
    }


def _type_of(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list | tuple):
        kind = next((one for one in kind if str(one).upper() != "NULL"), None)
    if isinstance(kind, str):
        return kind.upper()
    if "properties" in schema:
        return "OBJECT"
    return "ARRAY" if "items" in schema else "STRING"


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Follow one ``$ref`` of the form ``#/$defs/Name``.

    A reference to another reference, or to nothing, counts as an empty schema.
    """
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    found: Any = root
    for key in reference[2:].split("/"):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) and "$ref" not in found else {}


def _first_typed(branches: Any) -> Any:
    typed = [b for b in branches if isinstance(b, Mapping) and str(b.get("type")).upper() != "NULL"]
    return typed[0] if typed else {}


def _string(name: str, schema: Schema) -> str:
    if schema.get("format") == "date-time":
        return "2026-01-01T00:00:00Z"
    text = next((value for word, value in PLAUSIBLE.items() if word in name.lower()), f"example {name}")
    shortest = min(_to_int(schema.get("minLength"), 0), 1000)
    longest = _to_int(schema.get("maxLength"), len(text))
    return (text * (1 + shortest // max(1, len(text))))[: max(longest, shortest, 0)]


def _bounded(schema: Schema, default: float) -> Any:
    for limit, outside in (("minimum", default.__lt__), ("maximum", default.__gt__)):
        bound = schema.get(limit)
        if isinstance(bound, int | float) and outside(bound) is True:
            return bound
    return default


def _to_int(value: Any, fallback: int) -> int:
    """Return *value* as an int. Proto JSON writes an int64 as a string."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return fallback
