"""What an enumeration comes to in a dialect that lists few kinds of values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sanitizers.schemas.flatten import Flat, Flattener
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.values import are_whole, as_bounds, group_values
from sanitizers.schemas.work import Where, Work


class Enumerations:
    """Reads the enumerations of one whole."""

    def __init__(self, work: Work, flattener: Flattener) -> None:
        self._work = work
        self._dialect = work.dialect
        self._flattener = flattener

    def read(self, flat: Flat) -> tuple[dict[str, Flat], bool]:
        """Return what the values of *flat* come to, type by type, and whether null is one.

        *flat* is constraints alone. Some values can be listed, some bounded, some only told.
        """
        given, where = flat.schema["enum"], flat.where
        self._work.count(1 + len(given) // 8)
        groups = group_values(given, flat.types)
        null = groups.pop("null", None) is not None
        base = flat.without("enum")
        if groups and flat.types is None:
            self._work.note("enum_typed", where, "enum")
            if len(groups) > 1:
                self._work.note("type_array", where, "enum")
        parts: dict[str, Flat] = {}
        for kind, values in groups.items():
            said, words = self._said_of(kind, values, where)
            listed = {"enum": said.pop("enum")} if "enum" in said else {}
            joined = self._flattener.join(base, Flat(said, where, words))
            written = "integer" if kind == "number" and not listed and are_whole(values) else kind
            parts[written] = replace(joined, schema={**joined.schema, **listed})
        return parts, null

    def _said_of(self, kind: str, values: list[Any], where: Where) -> tuple[Schema, tuple[str, ...]]:
        """Return what *values*, all of one *kind*, come to: keywords, and words."""
        note = self._work.note
        if kind in self._dialect.enums:
            if "" not in values:
                return {"enum": values}, ()
            note("empty_enum_value", where, "enum", kept=False)
            listed = [value for value in values if value != ""]
            return ({"enum": listed}, ('May also be "".',)) if listed else ({}, ('One of: [""]',))
        if kind == "boolean" and len(values) == 2:
            note("enum_as_range", where, "enum")
            return {}, ()
        told = f"One of: {self._work.spell_out_json(values)}"
        if kind in ("integer", "number") and "minimum" in self._dialect.keywords:
            bounds, exact = as_bounds(values)
            note("enum_as_range" if exact else "enum_in_words", where, "enum", kept=exact)
            return bounds, () if exact else (told,)
        note("values_in_words" if kind == "string" else "enum_in_words", where, "enum", kept=False)
        return {}, (told,)
