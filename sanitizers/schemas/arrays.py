"""Write the items of an array."""

from __future__ import annotations

from typing import Any

from sanitizers.schemas.context import Draft
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.values import as_json, distinct


def write_items(draft: Draft) -> None:
    """Write an array's items: tuple items as ``prefixItems`` if the dialect has it, else one ``items`` for all.

    Source: "items: missing field" (cline#7339).
    """
    schema = draft.schema
    given = schema.get("items")
    prefix, rest = schema.get("prefixItems"), given
    if "prefixItems" in schema and (not isinstance(prefix, list) or not prefix):
        draft.note("keyword_dropped", "prefixItems")
        prefix = None
    if not isinstance(prefix, list):
        prefix, rest = (given, schema.get("additionalItems")) if isinstance(given, list) else (None, given)
    if prefix:
        further = "additionalItems" if isinstance(given, list) else "items"
        _write_tuple(draft, prefix, rest, there=further in schema)
    elif "items" in schema and not isinstance(given, list):
        _write_one(draft, given)
    elif draft.context.dialect.typed and draft.typed:
        draft.note("items_added", kept=False)
        draft.out["items"] = draft.clean({}, draft.location.into("items", level=1))
    elif "items" in schema:
        draft.note("keyword_dropped", "items")
    if "additionalItems" in schema and not isinstance(given, list):
        draft.note("keyword_dropped", "additionalItems")


def _write_one(draft: Draft, given: Any) -> None:
    items = draft.clean(given, draft.location.into("items", level=1))
    if items is None:
        draft.note("boolean_schema", "items")
        _close(draft, 0)
        items = {"type": "string"}
    draft.out["items"] = items


def _write_tuple(draft: Draft, prefix: list[Any], rest: Any, *, there: bool) -> None:
    """Write items that differ by their index.

    *rest* is the schema of all further items. *there* is true where the schema states *rest*.
    """
    cleaned: list[Schema] = []
    for at, one in enumerate(prefix):
        item = draft.clean(one, draft.location.into("prefixItems", at, level=1))
        if item is None:  # no array of this length matches
            rest, there = False, True
            break
        cleaned.append(item)
    further = (
        draft.clean(rest, draft.location.into("items", level=1)) if there and rest is not False else None
    )
    most = draft.schema.get("maxItems")
    closed = (there and further is None) or (isinstance(most, int) and most <= len(cleaned))
    if draft.knows("prefixItems") and cleaned:
        if "prefixItems" not in draft.schema or (there and further is None):
            draft.note("tuple_items", "prefixItems")
        draft.out["prefixItems"] = cleaned
        if further is not None:
            draft.out["items"] = further
        elif closed:
            _close(draft, len(cleaned))
        return
    each = distinct([*cleaned, *([further] if further is not None and not closed else [])])
    exact = closed and len(each) <= 1
    draft.note("tuple_items", "items", kept=exact)
    if closed:
        _close(draft, len(cleaned))
    if not exact:
        draft.words.append(f"In this order: {as_json(cleaned)}")
    if len(each) > 1:
        draft.out["items"] = draft.clean({"anyOf": each}, draft.location.into("items", level=1))
    else:
        draft.out["items"] = each[0] if each else {"type": "string"}


def _close(draft: Draft, most: int) -> None:
    """Limit the array to *most* items."""
    if not draft.knows("maxItems"):
        draft.rules["maxItems"] = most
        return
    given = draft.out.get("maxItems")
    draft.out["maxItems"] = min(most, given) if isinstance(given, int) else most
