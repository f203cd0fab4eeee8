"""Rewrite an enumeration for a dialect that allows ``enum`` for few types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sanitizers.schemas.context import Flat, Location, RewriteContext
from sanitizers.schemas.flatten import Flattener
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.values import are_whole, as_bounds, group_values


class Enumerations:
    """Rewrites the enumerations of one tool's schema."""

    def __init__(self, context: RewriteContext, flattener: Flattener) -> None:
        self._context = context
        self._dialect = context.dialect
        self._flattener = flattener

    def read(self, flat: Flat) -> tuple[dict[str, Flat], bool]:
        """Return a schema for each type among the values of *flat*, and whether null is one of the values.

        *flat* holds constraints alone. Some values are listed, some become bounds, and some are described.
        """
        given, location = flat.schema["enum"], flat.location
        self._context.count(1 + len(given) // 8)
        groups = group_values(given, flat.types)
        null = groups.pop("null", None) is not None
        base = flat.without("enum")
        if groups and flat.types is None:
            self._context.note("enum_typed", location, "enum")
            if len(groups) > 1:
                self._context.note("type_array", location, "enum")
        parts: dict[str, Flat] = {}
        for kind, values in groups.items():
            said, words = self._said_of(kind, values, location)
            listed = {"enum": said.pop("enum")} if "enum" in said else {}
            joined = self._flattener.join(base, Flat(said, location, words))
            written = "integer" if kind == "number" and not listed and are_whole(values) else kind
            parts[written] = replace(joined, schema={**joined.schema, **listed})
        return parts, null

    def _said_of(self, kind: str, values: list[Any], location: Location) -> tuple[Schema, tuple[str, ...]]:
        """Return the keywords and the description for *values*, which are all of the type *kind*."""
        note = self._context.note
        if kind in self._dialect.enums:
            if "" not in values:
                return {"enum": values}, ()
            note("empty_enum_value", location, "enum", kept=False)
            listed = [value for value in values if value != ""]
            return ({"enum": listed}, ('May also be "".',)) if listed else ({}, ('One of: [""]',))
        if kind == "boolean" and len(values) == 2:
            note("enum_as_range", location, "enum")
            return {}, ()
        told = f"One of: {self._context.spell_out_json(values)}"
        if kind in ("integer", "number") and "minimum" in self._dialect.keywords:
            bounds, exact = as_bounds(values)
            note("enum_as_range" if exact else "enum_in_words", location, "enum", kept=exact)
            return bounds, () if exact else (told,)
        note("values_in_words" if kind == "string" else "enum_in_words", location, "enum", kept=False)
        return {}, (told,)
