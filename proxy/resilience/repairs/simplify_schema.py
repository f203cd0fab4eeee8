"""A JSON Schema in the words that every provider knows. Pure.

What is left is type, properties, required, items, description, and the values of texts. Everything else is told in
the description, as the JSON that it was. Where a schema allows several types the first one is left, so that what fits
the simpler schema is of a type that the given one allows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_TYPES = frozenset({"array", "boolean", "integer", "number", "object", "string"})
_READ = frozenset(
    {"allOf", "anyOf", "const", "description", "enum", "items", "oneOf", "prefixItems", "properties"}
    | {"required", "type"}
)
_SILENT = frozenset({"$anchor", "$comment", "$defs", "$id", "$schema", "definitions", "title"})
"""What says nothing about a value."""

_MOST = 5_000
"""Schemas within one, references followed: those can be written so that they double at every level."""

_DEEPEST = 64


def simplify_schema(schema: Mapping[str, Any], *, levels: int | None, enums: bool) -> Schema:
    """Return *schema* simpler; objects below *levels*, and without *enums* the values of texts, are told in words.

    A schema that has no end, or is too large with its references followed, is returned as it is.
    """
    try:
        simple = _Simplifier(schema, levels, enums).simplify(schema, 0, frozenset())
    except _TooLarge:
        return dict(schema)
    if simple["type"] == "object":
        simple.setdefault("properties", {})  # "object schema missing properties" (spring-ai#4776)
    return simple


class _TooLarge(Exception):
    """Too many schemas, or too deep."""


class _Simplifier:
    """Simplifies one schema; holds the root for references, and counts."""

    def __init__(self, root: Mapping[str, Any], levels: int | None, enums: bool) -> None:
        self._root = root
        self._levels = levels
        self._enums = enums
        self._left = _MOST

    def simplify(self, given: Any, depth: int, open_references: frozenset[str]) -> Schema:
        """Return *given* simplified; *open_references* are those that it stands within."""
        schema, open_references = self._flat(given, depth, open_references)
        branches = [branch for name in ("anyOf", "oneOf") for branch in _list(schema.get(name))]
        notes: list[str] = []
        if "properties" in schema:
            notes += [f"Any of: {_json(branches)}"] if branches else []
        elif branches:
            return self._choose(schema, branches, depth, open_references)
        kinds = _kinds(schema)
        simple: Schema = {"type": kinds[0]}
        if len(kinds) > 1:
            notes.append(f"May also be: {', '.join(kinds[1:])}.")
        if isinstance(schema.get("description"), str):
            simple["description"] = schema["description"]
        self._add_values(simple, schema, notes)
        if kinds[0] == "object":
            self._add_properties(simple, schema, depth, open_references, notes)
        elif kinds[0] == "array":
            self._add_items(simple, schema, depth, open_references, notes)
        rules = {name: value for name, value in schema.items() if name not in _READ | _SILENT}
        if rules:
            notes.append(f"Rules: {_json(rules)}")
        return _noted(simple, notes)

    def _choose(
        self, schema: Mapping[str, Any], branches: list[Any], depth: int, open_references: frozenset[str]
    ) -> Schema:
        """Return the first of *branches* with what stands beside them; the others are told in words."""
        beside = {name: value for name, value in schema.items() if name not in ("anyOf", "oneOf")}
        flat = [self._flat(branch, depth + 1, open_references) for branch in branches]
        others = [(branch, open_) for branch, open_ in flat if branch.get("type") != "null"]
        notes = ["May be null."] if len(others) < len(flat) else []
        values = [_values(branch) for branch, _ in others]
        if not others:
            return _noted(self.simplify(beside, depth + 1, open_references), notes)
        if all(values):  # a choice of constants is an enumeration
            joined = [value for one in values for value in one]
            kind = {name: others[0][0][name] for name in ("type",) if name in others[0][0]}
            return _noted(
                self.simplify({**kind, "enum": joined, **beside}, depth + 1, open_references), notes
            )
        first, first_open = others[0]
        told = [self.simplify(other, depth + 1, open_) for other, open_ in others[1:]]
        notes += [f"May also be: {_json(other)}" for other in told]
        return _noted(self.simplify({**first, **beside}, depth + 1, first_open), notes)

    def _add_values(self, simple: Schema, schema: Mapping[str, Any], notes: list[str]) -> None:
        values = _values(schema)
        texts = [value for value in values if isinstance(value, str) and value]
        if self._enums and simple["type"] == "string" and texts:
            simple["enum"] = texts
        if values and simple.get("enum") != values:
            notes.append(f"One of: {_json(values)}")

    def _add_properties(
        self, simple: Schema, schema: Mapping[str, Any], depth: int, open_: frozenset[str], notes: list[str]
    ) -> None:
        given = schema.get("properties")
        if not isinstance(given, Mapping) or not given:
            return
        children = {name: self.simplify(child, depth + 1, open_) for name, child in given.items()}
        whole: Schema = {"properties": children}
        if isinstance(schema.get("required"), list):
            whole["required"] = [name for name in schema["required"] if name in children]
        if self._levels is not None and depth >= self._levels:
            notes.append(f"Its schema: {_json(whole)}")
        else:
            simple |= whole

    def _add_items(
        self, simple: Schema, schema: Mapping[str, Any], depth: int, open_: frozenset[str], notes: list[str]
    ) -> None:
        items = schema.get("items", schema.get("prefixItems"))
        if isinstance(items, list):
            if len(items) > 1:
                notes.append(f"In this order: {_json(items)}")
            items = items[0] if items else {}
        simple["items"] = self.simplify(items, depth + 1, open_)

    def _flat(
        self, given: Any, depth: int, open_references: frozenset[str]
    ) -> tuple[Mapping[str, Any], frozenset[str]]:
        """Return *given* with its reference followed and the members of its ``allOf`` put together."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise _TooLarge
        schema: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        while isinstance(reference := schema.get("$ref"), str):
            beside = {name: value for name, value in schema.items() if name != "$ref"}
            if reference in open_references:
                return {"type": "object", **beside}, open_references
            open_references |= {reference}
            schema = {**self._target(reference), **beside}
        members = _list(schema.get("allOf"))
        if members:
            schema = {name: value for name, value in schema.items() if name != "allOf"}
        for member in members:
            more, open_references = self._flat(member, depth + 1, open_references)
            schema = _both(schema, more)
        return schema, open_references

    def _target(self, reference: str) -> Mapping[str, Any]:
        """Return what a reference within the schema points to; empty when there is nothing."""
        found: Any = self._root if reference.startswith("#") else None
        for key in filter(None, reference[1:].split("/")):
            name = key.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}


def _both(first: Mapping[str, Any], second: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what both say: properties and required names of both, else the first one's word."""
    both = {**second, **first}
    if isinstance(first.get("properties"), Mapping) and isinstance(second.get("properties"), Mapping):
        both["properties"] = {**second["properties"], **first["properties"]}
    if isinstance(first.get("required"), list) and isinstance(second.get("required"), list):
        both["required"] = list(dict.fromkeys([*first["required"], *second["required"]]))
    return both


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    """Return the types that *schema* names, without null if there are others, or the one that it implies."""
    given = schema.get("type")
    named = [
        kind.lower() for kind in (given if isinstance(given, list) else [given]) if isinstance(kind, str)
    ]
    kinds = [kind for kind in named if kind in _TYPES]
    if kinds:
        return kinds + (["null"] if "null" in named else [])
    if "properties" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    value = next(iter(_values(schema)), "")
    if isinstance(value, bool):
        return ["boolean"]
    return ["number"] if isinstance(value, int | float) else ["string"]


def _values(schema: Mapping[str, Any]) -> list[Any]:
    return [schema["const"]] if "const" in schema else _list(schema.get("enum"))


def _noted(simple: Schema, notes: list[str]) -> Schema:
    if notes:
        simple["description"] = " ".join(filter(None, [simple.get("description", ""), *notes]))
    return simple


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
