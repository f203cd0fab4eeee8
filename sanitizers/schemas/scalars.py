"""Write a schema's numeric bounds and its ``format`` in the provider's dialect."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from sanitizers.schemas.context import Draft
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.values import is_number

_LARGEST = 1e300
"""Bounds of this size or larger are not rounded."""


def write_bounds(draft: Draft) -> None:
    """Write the bounds of a number. For an integer, an exclusive bound becomes the nearest allowed integer."""
    schema = draft.schema
    bounds: Schema = {}
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if keyword in schema and not is_number(schema[keyword]):
            draft.note("keyword_dropped", keyword, kept=isinstance(schema[keyword], bool))
        elif keyword in schema:
            bounds[keyword] = schema[keyword]
    if not draft.knows("minimum"):
        draft.rules |= bounds
        return
    for exclusive, bound, choose in (
        ("exclusiveMinimum", "minimum", max),
        ("exclusiveMaximum", "maximum", min),
    ):
        if exclusive in bounds:
            limit = bounds.pop(exclusive)
            whole = draft.kinds == {"integer"} and abs(limit) < _LARGEST
            if whole:
                draft.note("exclusive_bound", exclusive)
                limit = floor(limit) + 1 if bound == "minimum" else ceil(limit) - 1
            else:
                draft.rules[exclusive] = limit
            bounds[bound] = choose(limit, bounds.get(bound, limit))
    draft.out |= {keyword: bounds[keyword] for keyword in schema if keyword in bounds}
    draft.out |= bounds


def write_format(draft: Draft) -> None:
    """Write ``format`` where the dialect knows it for the type. Otherwise put it into the description."""
    given: Any = draft.schema["format"]
    if not isinstance(given, str):
        draft.note("keyword_dropped", "format")
        return
    formats = draft.context.dialect.formats
    kind = next(iter(draft.kinds)) if len(draft.kinds) == 1 else ""
    # "enum: should be non-empty for STRING type with enum format" (kibana#286302).
    known = formats is None or given in formats.get(kind, ())
    if known and (given != "enum" or "enum" in draft.out):
        draft.out["format"] = given
    else:
        draft.note("format_dropped", "format", kept=given == "enum")
        if given != "enum":
            draft.words.append(f"Format: {given}.")
