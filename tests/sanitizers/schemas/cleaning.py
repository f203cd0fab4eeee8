"""Helpers that clean one schema, and return the cleaned schema or the reasons for the rewrites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sanitizers.schemas import GEMINI, CleanedSchema, Dialect, Note, clean_schema

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
ANYTHING = {"anyOf": [TEXT, {"type": "number"}, {"type": "boolean"}, {"type": "object"}]}

NODE = {"type": "object", "properties": {"v": TEXT, "next": {"$ref": "#/definitions/Node"}}}
"""A definition that refers to itself."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def of(schema: Any, dialect: Dialect = GEMINI, beside: Mapping[str, Any] = _NOTHING) -> Any:
    """Return *schema* cleaned as a property of parameters that also hold *beside*."""
    return _cleaned(schema, dialect, beside).schema["properties"]["p"]


def reasons(schema: Any, dialect: Dialect = GEMINI, beside: Mapping[str, Any] = _NOTHING) -> dict[str, bool]:
    """Return the reasons for rewriting *schema* as a property, each with whether the meaning was kept."""
    return kept_by_reason(_cleaned(schema, dialect, beside).notes)


def kept_by_reason(notes: Iterable[Note]) -> dict[str, bool]:
    """Return each reason, with whether all rewrites for it kept the meaning."""
    kept: dict[str, bool] = {}
    for note in notes:
        kept[note.reason] = kept.get(note.reason, True) and note.kept
    return kept


def _cleaned(schema: Any, dialect: Dialect, beside: Mapping[str, Any]) -> CleanedSchema:
    return clean_schema({"type": "object", "properties": {"p": schema}, **beside}, dialect)


def check_row(schema: Any, cleaned: Any, why: dict[str, bool], dialect: Dialect = GEMINI) -> None:
    """Check the cleaned form of *schema* as a property, and the reasons.

    A reason is true where the meaning was kept.
    """
    assert of(schema, dialect) == cleaned
    assert reasons(schema, dialect) == why
