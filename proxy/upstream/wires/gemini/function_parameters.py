"""Writes a function's parameters as Gemini's ``Schema`` if that can hold them, else as JSON Schema.

:mod:`sanitizers.schemas` has already cleaned the schema for one of these two forms. The keywords and types of the
schema show which form that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.schemas import GEMINI

Schema = dict[str, Any]

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_FORMATS = GEMINI.formats or {}
_DEEPEST = 64
"""The most nesting levels that are translated. A cleaned schema has half as many."""


class _NotInSchemaError(Exception):
    """Raised for a JSON Schema that Gemini's ``Schema`` cannot hold."""


def parameter_fields(schema: Any) -> dict[str, Any]:
    """Return *schema* under the declaration field that can hold it, or an empty dict if it declares nothing.

    An object without properties is left out, since older models refuse it (pydantic-ai#1998, livekit#2689).
    ``parametersJsonSchema`` takes everything that ``parameters`` has no field for (gemini-cli#4196, goose#6555).
    """
    if not isinstance(schema, Mapping) or not _has_content(schema):
        return {}
    try:
        return {"parameters": _translated(schema, 0)}
    except _NotInSchemaError:
        return {"parametersJsonSchema": schema}


def _has_content(schema: Mapping[str, Any]) -> bool:
    """Tell whether the schema holds more than an object without properties."""
    if schema.get("properties") or schema.get("additionalProperties", False) is not False:
        return True
    return not schema.keys() <= {"additionalProperties", "properties", "required", "title", "type"}


def _translated(schema: Any, depth: int) -> Schema:
    """Return *schema* with its types in capitals. Raises :class:`_NotInSchemaError` if a ``Schema`` cannot hold it."""
    if not isinstance(schema, Mapping) or not schema.keys() <= GEMINI.keywords or depth > _DEEPEST:
        raise _NotInSchemaError
    out = dict(schema)
    kind = schema.get("type")
    if kind is not None or "anyOf" not in schema:
        if not isinstance(kind, str) or kind not in _TYPES:
            raise _NotInSchemaError
        out["type"] = kind.upper()
    if "enum" in schema and not (
        kind == "string" and isinstance(schema["enum"], list) and all(schema["enum"])
    ):
        raise _NotInSchemaError
    if "format" in schema and str(schema["format"]) not in _FORMATS.get(str(kind), ()):
        raise _NotInSchemaError
    if "items" in schema:
        out["items"] = _translated(schema["items"], depth + 1)
    elif kind == "array":
        raise _NotInSchemaError
    if "properties" in schema:
        properties = schema["properties"]
        if not isinstance(properties, Mapping):
            raise _NotInSchemaError
        out["properties"] = {name: _translated(child, depth + 1) for name, child in properties.items()}
    if "anyOf" in schema:
        branches = schema["anyOf"]
        if not isinstance(branches, list) or len(schema) > 1:
            raise _NotInSchemaError
        out["anyOf"] = [_translated(branch, depth + 1) for branch in branches]
    return out
