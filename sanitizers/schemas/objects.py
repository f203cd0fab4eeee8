"""Write the properties of an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sanitizers.schemas.context import Draft, RewriteContext
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.values import as_json


def write_properties(draft: Draft) -> None:
    """Write the properties, the names of the required ones, and the schema for all other properties."""
    given = draft.schema.get("properties")
    if "properties" in draft.schema and not isinstance(given, Mapping):
        draft.note("keyword_dropped", "properties")
    known = given if isinstance(given, Mapping) else {}
    required = draft.schema.get("required")
    missing: list[str] = []
    properties = {}
    location = replace(draft.location, in_description=True) if _is_deep(draft) else draft.location
    for name, child in known.items():
        cleaned = draft.clean(child, location.into("properties", name, level=1))
        if cleaned is None:
            draft.note("boolean_schema", "properties", name, kept=False)
            missing.append(name)
        else:
            properties[name] = cleaned
    if missing:
        draft.words.append(f"Not allowed: {as_json(missing)}")
    dialect = draft.context.dialect
    empty = not dialect.typed or (dialect.root_properties and not draft.location.depth)
    if properties or (isinstance(given, Mapping) and empty):
        draft.out["properties"] = properties
    elif isinstance(given, Mapping):
        draft.note("empty_object", "properties")
    if "required" in draft.schema:
        _write_required(draft, required, properties)
    if "propertyOrdering" in draft.schema:
        _write_ordering(draft, properties)
    if "additionalProperties" in draft.schema:
        _write_others(draft)


def list_properties(schema: Schema, context: RewriteContext) -> None:
    """Add an empty list of properties to the outermost *schema*, where the dialect requires one."""
    if context.dialect.root_properties and not isinstance(schema.get("properties"), Mapping):
        context.note("properties_added", context.top)
        schema["properties"] = {}


def finish_object(draft: Draft) -> None:
    """Describe an object that is too deep, and make an object without properties a text, where the dialect requires it.

    Sources: pydantic-ai#1998, livekit#2689 (empty), gemini-cli#5923 (deep).
    """
    out, dialect = draft.out, draft.context.dialect
    if "properties" in out and _is_deep(draft) and not draft.location.in_description:
        whole = {name: out.pop(name) for name in ("properties", "required") if name in out}
        draft.note("depth_flattened", kept=False)
        draft.words.append(f"Its schema: {as_json(whole)}")
    if "properties" not in out and not dialect.empty_objects and draft.location.depth:
        draft.note("empty_object", kept=False)
        out.clear()
        out["type"] = "string"
        draft.words.append("A JSON object, written as text.")


def _is_deep(draft: Draft) -> bool:
    levels = draft.context.dialect.levels
    return levels is not None and draft.location.level >= levels


def _write_required(draft: Draft, given: Any, properties: Mapping[str, Any]) -> None:
    """Write the required names that are properties, and describe the others (kilocode#11955)."""
    names = given if isinstance(given, list) else []
    known = [name for name in dict.fromkeys(filter(_is_text, names)) if name in properties]
    unknown = [name for name in dict.fromkeys(filter(_is_text, names)) if name not in properties]
    if known or given == []:
        draft.out["required"] = known
    if known != given:
        draft.note("required_pruned", "required", kept=not unknown)
    if unknown:
        draft.words.append(f"Required as well: {as_json(unknown)}")


def _write_ordering(draft: Draft, properties: Mapping[str, Any]) -> None:
    given = draft.schema["propertyOrdering"]
    names = (
        [name for name in given if _is_text(name) and name in properties] if isinstance(given, list) else []
    )
    if draft.knows("propertyOrdering") and names:
        draft.out["propertyOrdering"] = names
    if draft.out.get("propertyOrdering") != given:
        draft.note("annotation_dropped", "propertyOrdering")


def _write_others(draft: Draft) -> None:
    given = draft.schema["additionalProperties"]
    if draft.knows("additionalProperties"):
        cleaned: Any = given
        if not isinstance(given, bool):
            cleaned = draft.clean(given, draft.location.into("additionalProperties", level=1))
        draft.out["additionalProperties"] = False if cleaned is None else cleaned
    elif given is True or given == {}:
        draft.note("keyword_dropped", "additionalProperties")
    elif given is False:
        # This is not described: nearly every object of a strict tool says so, and a model adds no other properties.
        draft.note("closed_object", "additionalProperties", kept=False)
    else:
        draft.rules["additionalProperties"] = given


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
