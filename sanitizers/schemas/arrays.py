"""The items of an array."""

from __future__ import annotations

from typing import Any

from sanitizers.schemas.intersect import distinct
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.sheet import Sheet
from sanitizers.schemas.told_json import as_json


def write_items(sheet: Sheet) -> None:
    """Write what the items are: by their place where the dialect can say that, else as one that fits every place.

    Source: "items: missing field" (cline#7339).
    """
    schema = sheet.schema
    given = schema.get("items")
    prefix, rest = schema.get("prefixItems"), given
    if "prefixItems" in schema and (not isinstance(prefix, list) or not prefix):
        sheet.note("keyword_dropped", "prefixItems")
        prefix = None
    if not isinstance(prefix, list):
        prefix, rest = (given, schema.get("additionalItems")) if isinstance(given, list) else (None, given)
    if prefix:
        further = "additionalItems" if isinstance(given, list) else "items"
        _write_tuple(sheet, prefix, rest, there=further in schema)
    elif "items" in schema and not isinstance(given, list):
        _write_one(sheet, given)
    elif sheet.work.dialect.typed and sheet.typed:
        sheet.note("items_added", kept=False)
        sheet.out["items"] = sheet.clean({}, sheet.where.into("items", level=1))
    elif "items" in schema:
        sheet.note("keyword_dropped", "items")
    if "additionalItems" in schema and not isinstance(given, list):
        sheet.note("keyword_dropped", "additionalItems")


def _write_one(sheet: Sheet, given: Any) -> None:
    items = sheet.clean(given, sheet.where.into("items", level=1))
    if items is None:
        sheet.note("boolean_schema", "items")
        _close(sheet, 0)
        items = {"type": "string"}
    sheet.out["items"] = items


def _write_tuple(sheet: Sheet, prefix: list[Any], rest: Any, *, there: bool) -> None:
    """Write items that differ by their place; *rest* is that of all further ones, where there is a word for them."""
    cleaned: list[Schema] = []
    for at, one in enumerate(prefix):
        item = sheet.clean(one, sheet.where.into("prefixItems", at, level=1))
        if item is None:  # an array that long does not fit
            rest, there = False, True
            break
        cleaned.append(item)
    further = sheet.clean(rest, sheet.where.into("items", level=1)) if there and rest is not False else None
    most = sheet.schema.get("maxItems")
    closed = (there and further is None) or (isinstance(most, int) and most <= len(cleaned))
    if sheet.knows("prefixItems") and cleaned:
        if "prefixItems" not in sheet.schema or (there and further is None):
            sheet.note("tuple_items", "prefixItems")
        sheet.out["prefixItems"] = cleaned
        if further is not None:
            sheet.out["items"] = further
        elif closed:
            _close(sheet, len(cleaned))
        return
    each = distinct([*cleaned, *([further] if further is not None and not closed else [])])
    exact = closed and len(each) <= 1
    sheet.note("tuple_items", "items", kept=exact)
    if closed:
        _close(sheet, len(cleaned))
    if not exact:
        sheet.words.append(f"In this order: {as_json(cleaned)}")
    if len(each) > 1:
        sheet.out["items"] = sheet.clean({"anyOf": each}, sheet.where.into("items", level=1))
    else:
        sheet.out["items"] = each[0] if each else {"type": "string"}


def _close(sheet: Sheet, most: int) -> None:
    """Say that there are *most* items at most."""
    if not sheet.knows("maxItems"):
        sheet.rules["maxItems"] = most
        return
    given = sheet.out.get("maxItems")
    sheet.out["maxItems"] = min(most, given) if isinstance(given, int) else most
