"""A tool's JSON Schema as Gemini's ``Schema``: the keywords that the proto has, of the types that it takes.

Conservative on purpose: a keyword that Gemini does not know is left out, never guessed at, and what a left-out
``enum`` said goes into the description. Sources: the reports of "Unknown name … Cannot find field" (CLIProxyAPI#97,
zed#44875), "Proto field is not repeating" (google_workspace_mcp#1099), "items: missing field" (cline#7339), "only
allowed for STRING type" (9router#380), "any_of … must be the only field set" (Graphenium#37).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from proxy.errors import InvalidRequest
from proxy.json_text import write_json

Schema = dict[str, Any]

_TYPES = frozenset({"ARRAY", "BOOLEAN", "INTEGER", "NULL", "NUMBER", "OBJECT", "STRING"})
_FORMATS = MappingProxyType(
    {"INTEGER": ("int32", "int64"), "NUMBER": ("double", "float"), "STRING": ("date-time",)}
)
_MOST_SCHEMAS = 10_000
"""Schemas in one tool, references followed: those can be written so that they double at every level."""
_DEEPEST = 32
"""Levels of a schema; Gemini's own limit is not told ("exceeds the maximum allowed nesting depth", gemini-cli#5923)."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_KEPT: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "title": _is_text,
        "description": _is_text,
        "nullable": lambda value: isinstance(value, bool),
        "pattern": _is_text,
        "minItems": _is_count,
        "maxItems": _is_count,
        "minLength": _is_count,
        "maxLength": _is_count,
        "minProperties": _is_count,
        "maxProperties": _is_count,
        "minimum": _is_number,
        "maximum": _is_number,
        "default": lambda value: value is not None,
        "example": lambda value: value is not None,
    }
)
"""Keywords that are passed on as they are, where their value is of the type that the proto wants."""


def clean_parameters(schema: Any, place: str) -> Schema | None:
    """Return *schema*, the parameters of a function at *place*, or None where there is nothing to declare.

    An object without properties is left out: older models refuse it (pydantic-ai#1998, livekit#2689). Raises
    :class:`InvalidRequest` for one that is too large with its references followed.
    """
    if not isinstance(schema, Mapping) or not schema:
        return None
    cleaned = _Cleaner(schema, place).clean(schema, frozenset())
    if cleaned.get("anyOf") or cleaned.get("properties"):
        return cleaned
    return None


class _Cleaner:
    """Cleans one tool's schema; holds the root for references and counts what it has cleaned."""

    def __init__(self, root: Mapping[str, Any], place: str) -> None:
        self._root = root
        self._place = place
        self._left = _MOST_SCHEMAS
        self._depth = 0

    def clean(self, given: Any, open_references: frozenset[str]) -> Schema:
        """Return *given* cleaned; *open_references* are those that it stands within."""
        self._count()
        if self._depth >= _DEEPEST:
            return {"type": "OBJECT"}
        self._depth += 1
        try:
            return self._clean(given, open_references)
        finally:
            self._depth -= 1

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise InvalidRequest(f"'{self._place}' is too large a schema.", param=self._place)

    def _clean(self, given: Any, open_references: frozenset[str]) -> Schema:
        schema, open_references = self._flat(given, open_references)
        branches, nullable = _split_null(schema)
        kept = {name: schema[name] for name, fits in _KEPT.items() if name in schema and fits(schema[name])}
        if nullable:
            kept["nullable"] = True
        if len(branches) > 1:
            return _choice([self.clean(branch, open_references) for branch in branches], kept)
        if branches:
            only = self.clean(branches[0], open_references)
            return _choice(only["anyOf"], kept) if "anyOf" in only else {**only, **kept}
        kind = _type_of(schema)
        return {"type": kind, **kept, **self._of_type(kind, schema, kept, open_references)}

    def _of_type(self, kind: str, schema: Mapping[str, Any], kept: Schema, open_: frozenset[str]) -> Schema:
        more: Schema = {}
        if schema.get("format") in _FORMATS.get(kind, ()):
            more["format"] = schema["format"]
        values = _values(schema)
        if values and kind == "STRING" and all(isinstance(value, str) for value in values):
            more["enum"] = values
        elif values:
            listed = ", ".join(write_json(value).decode() for value in values)
            more["description"] = f"{kept.get('description', '')} One of: {listed}.".strip()
        if kind == "ARRAY":
            items = schema.get("items", schema.get("prefixItems"))
            more["items"] = self.clean({"anyOf": items} if isinstance(items, list) else items, open_)
        if kind == "OBJECT":
            properties = schema.get("properties")
            known = properties if isinstance(properties, Mapping) else {}
            if known:
                more["properties"] = {name: self.clean(child, open_) for name, child in known.items()}
            for name in ("required", "propertyOrdering"):
                if names := _known_names(schema.get(name), known):
                    more[name] = names
        return more

    def _flat(self, given: Any, open_references: frozenset[str]) -> tuple[Mapping[str, Any], frozenset[str]]:
        """Return *given* with its reference followed and the members of its ``allOf`` put together."""
        schema: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        while isinstance(reference := schema.get("$ref"), str):
            beside = {name: value for name, value in schema.items() if name != "$ref"}
            # A recursive schema, or a chain of references without end, ends in an object of any kind.
            if reference in open_references or len(open_references) >= _DEEPEST:
                return {"type": "object", **beside}, open_references
            open_references |= {reference}
            schema = {**self._target(reference), **beside}
        members = schema.get("allOf")
        if isinstance(members, list):
            schema = {name: value for name, value in schema.items() if name != "allOf"}
            for member in members:
                self._count()
                flat, open_references = self._flat(member, open_references)
                schema = _both(schema, flat)
        return schema, open_references

    def _target(self, reference: str) -> Mapping[str, Any]:
        """Return what a reference within the schema (``#/$defs/Name``) points to; empty when there is nothing."""
        found: Any = self._root if reference.startswith("#") else None
        for key in filter(None, reference[1:].split("/")):
            found = (
                found.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
            )
        return found if isinstance(found, Mapping) else {}


def _known_names(given: Any, known: Mapping[str, Any]) -> list[str]:
    """Return the names in *given* that *known* has, each once."""
    names = given if isinstance(given, list) else []
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name in known))


def _choice(branches: list[Schema], kept: Schema) -> Schema:
    """Return a choice; what else was said goes into its branches, since it must stand alone."""
    shared = {name: kept[name] for name in ("description", "nullable") if name in kept}
    return {"anyOf": [{**shared, **branch} for branch in branches]}


def _both(first: Mapping[str, Any], second: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that says what both say: their properties together, else the first one's word."""
    both = {**second, **first}
    if isinstance(first.get("properties"), dict) and isinstance(second.get("properties"), dict):
        both["properties"] = {**second["properties"], **first["properties"]}
    if isinstance(first.get("required"), list) and isinstance(second.get("required"), list):
        both["required"] = [*first["required"], *second["required"]]
    return both


def _split_null(schema: Mapping[str, Any]) -> tuple[list[Any], bool]:
    """Return the alternatives of *schema* without null, and whether null is one: Gemini says that beside the type.

    Beside properties, alternatives say which of them are required together, which Gemini has no word for.
    """
    kinds = schema.get("type")
    if isinstance(kinds, list):
        rest = {name: value for name, value in schema.items() if name not in _KEPT}
        return [{**rest, "type": kind} for kind in kinds if kind != "null"], "null" in kinds
    given = None if "properties" in schema else schema.get("anyOf") or schema.get("oneOf")
    branches = given if isinstance(given, list) else []
    others = [branch for branch in branches if not _is_null(branch)]
    values = schema.get("enum")
    return others, len(others) < len(branches) or (isinstance(values, list) and None in values)


def _is_null(branch: Any) -> bool:
    return isinstance(branch, Mapping) and str(branch.get("type")).lower() == "null"


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values that are allowed, without null and the empty text, which Gemini refuses (ha-claude#30)."""
    given = [schema["const"]] if "const" in schema else schema.get("enum")
    return [value for value in given if value is not None and value != ""] if isinstance(given, list) else []


def _type_of(schema: Mapping[str, Any]) -> str:
    """Return the type that *schema* names, or that the rest of it implies."""
    named = schema.get("type")
    if isinstance(named, str) and named.upper() in _TYPES:
        return named.upper()
    if "properties" in schema:
        return "OBJECT"
    if "items" in schema or "prefixItems" in schema:
        return "ARRAY"
    kinds = {type(value) for value in _values(schema)}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "INTEGER"
    return "NUMBER" if kinds and kinds <= {int, float} else "STRING"
