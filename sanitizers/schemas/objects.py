"""The properties of an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sanitizers.schemas.notes import Schema
from sanitizers.schemas.sheet import Sheet
from sanitizers.schemas.told_json import as_json
from sanitizers.schemas.work import Work


def write_properties(sheet: Sheet) -> None:
    """Write the properties, which of them are required, and what is said of all others."""
    given = sheet.schema.get("properties")
    if "properties" in sheet.schema and not isinstance(given, Mapping):
        sheet.note("keyword_dropped", "properties")
    known = given if isinstance(given, Mapping) else {}
    required = sheet.schema.get("required")
    missing: list[str] = []
    properties = {}
    where = replace(sheet.where, told=True) if _is_deep(sheet) else sheet.where
    for name, child in known.items():
        cleaned = sheet.clean(child, where.into("properties", name, level=1))
        if cleaned is None:
            sheet.note("boolean_schema", "properties", name, kept=False)
            missing.append(name)
        else:
            properties[name] = cleaned
    if missing:
        sheet.words.append(f"Not allowed: {as_json(missing)}")
    dialect = sheet.work.dialect
    empty = not dialect.typed or (dialect.root_properties and not sheet.where.depth)
    if properties or (isinstance(given, Mapping) and empty):
        sheet.out["properties"] = properties
    elif isinstance(given, Mapping):
        sheet.note("empty_object", "properties")
    if "required" in sheet.schema:
        _write_required(sheet, required, properties)
    if "propertyOrdering" in sheet.schema:
        _write_ordering(sheet, properties)
    if "additionalProperties" in sheet.schema:
        _write_others(sheet)


def list_properties(schema: Schema, work: Work) -> None:
    """Let the outermost *schema* say that it has no properties, where the dialect wants to see them."""
    if work.dialect.root_properties and not isinstance(schema.get("properties"), Mapping):
        work.note("properties_added", work.top)
        schema["properties"] = {}


def finish_object(sheet: Sheet) -> None:
    """Make an object that the dialect takes: one with properties, or not so deep, or a text that holds it.

    Sources: pydantic-ai#1998, livekit#2689 (empty), gemini-cli#5923 (deep).
    """
    out, dialect = sheet.out, sheet.work.dialect
    if "properties" in out and _is_deep(sheet) and not sheet.where.told:
        whole = {name: out.pop(name) for name in ("properties", "required") if name in out}
        sheet.note("depth_flattened", kept=False)
        sheet.words.append(f"Its schema: {as_json(whole)}")
    if "properties" not in out and not dialect.empty_objects and sheet.where.depth:
        sheet.note("empty_object", kept=False)
        out.clear()
        out["type"] = "string"
        sheet.words.append("A JSON object, written as text.")


def _is_deep(sheet: Sheet) -> bool:
    levels = sheet.work.dialect.levels
    return levels is not None and sheet.where.level >= levels


def _write_required(sheet: Sheet, given: Any, properties: Mapping[str, Any]) -> None:
    """Write which properties are required, as far as there are such: kilocode#11955."""
    names = given if isinstance(given, list) else []
    known = [name for name in dict.fromkeys(filter(_is_text, names)) if name in properties]
    unknown = [name for name in dict.fromkeys(filter(_is_text, names)) if name not in properties]
    if known or given == []:
        sheet.out["required"] = known
    if known != given:
        sheet.note("required_pruned", "required", kept=not unknown)
    if unknown:
        sheet.words.append(f"Required as well: {as_json(unknown)}")


def _write_ordering(sheet: Sheet, properties: Mapping[str, Any]) -> None:
    given = sheet.schema["propertyOrdering"]
    names = (
        [name for name in given if _is_text(name) and name in properties] if isinstance(given, list) else []
    )
    if sheet.knows("propertyOrdering") and names:
        sheet.out["propertyOrdering"] = names
    if sheet.out.get("propertyOrdering") != given:
        sheet.note("annotation_dropped", "propertyOrdering")


def _write_others(sheet: Sheet) -> None:
    given = sheet.schema["additionalProperties"]
    if sheet.knows("additionalProperties"):
        cleaned: Any = given
        if not isinstance(given, bool):
            cleaned = sheet.clean(given, sheet.where.into("additionalProperties", level=1))
        sheet.out["additionalProperties"] = False if cleaned is None else cleaned
    elif given is True or given == {}:
        sheet.note("keyword_dropped", "additionalProperties")
    elif given is False:
        # Not told: nearly every object of every strict tool says so, and a model has no others to offer.
        sheet.note("closed_object", "additionalProperties", kept=False)
    else:
        sheet.rules["additionalProperties"] = given


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
