"""One cleaned schema, with the reasons of its rewrites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sanitizers.schemas import GEMINI, CleanedSchema, Dialect, Note, clean_schema

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
ANYTHING = {"anyOf": [TEXT, {"type": "number"}, {"type": "boolean"}, {"type": "object"}]}

NODE = {"type": "object", "properties": {"v": TEXT, "next": {"$ref": "#/definitions/Node"}}}
"""A definition that leads back to itself."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def of(schema: Any, dialect: Dialect = GEMINI, beside: Mapping[str, Any] = _NOTHING) -> Any:
    """Return what becomes of *schema* as a property. *beside* stands at the root."""
    return _cleaned(schema, dialect, beside).schema["properties"]["p"]


def reasons(schema: Any, dialect: Dialect = GEMINI, beside: Mapping[str, Any] = _NOTHING) -> dict[str, bool]:
    """Return why *schema* is rewritten as a property, and whether that keeps what it says."""
    return kept_by_reason(_cleaned(schema, dialect, beside).notes)


def kept_by_reason(notes: Iterable[Note]) -> dict[str, bool]:
    """Return each reason, and whether all rewrites for it keep what was said."""
    kept: dict[str, bool] = {}
    for note in notes:
        kept[note.reason] = kept.get(note.reason, True) and note.kept
    return kept


def _cleaned(schema: Any, dialect: Dialect, beside: Mapping[str, Any]) -> CleanedSchema:
    return clean_schema({"type": "object", "properties": {"p": schema}, **beside}, dialect)
