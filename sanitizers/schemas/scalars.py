"""The bounds of numbers, and formats."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from sanitizers.schemas.intersect import is_number
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.sheet import Sheet

_LARGEST = 1e300
"""What is beyond is not rounded."""


def write_bounds(sheet: Sheet) -> None:
    """Write the bounds of a number; of a whole one an exclusive bound is the next number."""
    schema = sheet.schema
    bounds: Schema = {}
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if keyword in schema and not is_number(schema[keyword]):
            sheet.note("keyword_dropped", keyword, kept=isinstance(schema[keyword], bool))
        elif keyword in schema:
            bounds[keyword] = schema[keyword]
    if not sheet.knows("minimum"):
        sheet.rules |= bounds
        return
    for exclusive, bound, choose in (
        ("exclusiveMinimum", "minimum", max),
        ("exclusiveMaximum", "maximum", min),
    ):
        if exclusive in bounds:
            limit = bounds.pop(exclusive)
            whole = sheet.kinds == {"integer"} and abs(limit) < _LARGEST
            if whole:
                sheet.note("exclusive_bound", exclusive)
                limit = floor(limit) + 1 if bound == "minimum" else ceil(limit) - 1
            else:
                sheet.rules[exclusive] = limit
            bounds[bound] = choose(limit, bounds.get(bound, limit))
    sheet.out |= {keyword: bounds[keyword] for keyword in schema if keyword in bounds}
    sheet.out |= bounds


def write_format(sheet: Sheet) -> None:
    """Write the format, where the type has it; else it is told."""
    given: Any = sheet.schema["format"]
    if not isinstance(given, str):
        sheet.note("keyword_dropped", "format")
        return
    formats = sheet.work.dialect.formats
    kind = next(iter(sheet.kinds)) if len(sheet.kinds) == 1 else ""
    # "enum: should be non-empty for STRING type with enum format" (kibana#286302).
    known = formats is None or given in formats.get(kind, ())
    if known and (given != "enum" or "enum" in sheet.out):
        sheet.out["format"] = given
    else:
        sheet.note("format_dropped", "format", kept=given == "enum")
        if given != "enum":
            sheet.words.append(f"Format: {given}.")
