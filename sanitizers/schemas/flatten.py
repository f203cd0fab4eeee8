"""Flatten one schema: resolve ``$ref``, ``allOf``, ``const`` and ``nullable``, and make its types a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sanitizers.schemas.context import Flat, Location, RewriteContext
from sanitizers.schemas.intersect import intersect
from sanitizers.schemas.keywords import KINDS, is_annotation
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.references import Target
from sanitizers.schemas.values import same

_USUAL_KEYWORDS = 32
"""The most keywords of a schema for which no extra work is counted."""

_MAX_OPEN = 48
"""The most nested references and ``allOf`` members, counted together, that are followed."""

_SPELLINGS = {
    "any": "",
    "bool": "boolean",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "map": "object",
    "none": "null",
    "str": "string",
    "text": "string",
    "tuple": "array",
}
"""Maps types, as people spell them in schemas written by hand, to JSON Schema's types. ``any`` means no type."""


_NOTHING = Flat({}, Location(), nothing=True)


@dataclass(slots=True)
class Flattener:
    """Flattens the schemas inside one tool's schema."""

    context: RewriteContext
    definitions: dict[str, Target] = field(default_factory=dict)
    """The targets of the references that stay, by name."""

    def flatten(self, given: Any, location: Location) -> Flat:
        """Return *given*, the schema at *location*, flattened. The schemas inside *given* stay as they are."""
        self.context.count()
        if given is False:
            return replace(_NOTHING, location=location)
        if not isinstance(given, Mapping):
            self.context.note(
                "boolean_schema" if given is True else "keyword_dropped", location, kept=given is True
            )
            return Flat({}, location)
        if len(given) > _USUAL_KEYWORDS:
            self.context.count(len(given) // 4)  # each unknown keyword is noted and described
        schema = self._with_null(dict(given), location) if "nullable" in given else dict(given)
        members, words = self._members(schema, location)
        self._write_constant(schema, location)
        self._write_types(schema, location, listed=isinstance(given.get("type"), list))
        _write_bounds(schema)
        flat = Flat(schema, location, tuple(words))
        for member in members:
            flat = self.join(flat, member)
            if flat.nothing or flat.reference:
                return flat
        return flat

    def join(self, first: Flat, second: Flat) -> Flat:
        """Return a schema that requires both *first* and *second*. Keywords that cannot be joined are described."""
        if first.nothing or second.nothing:
            return replace(_NOTHING, location=first.location)
        if second.reference:
            return second
        both, left_out = intersect(first.schema, second.schema, self.context.count_values)
        words = (*first.words, *second.words)
        if left_out:
            self.context.note("keyword_in_words", first.location, kept=False)
            told = {name: value for name, value in left_out.items() if value is not False}
            words += (f"Also: {self.context.spell_out_json(told)}",) if told else ()
        location = first.location
        if not second.location.open <= location.open:
            location = replace(location, open=location.open | second.location.open)
        return Flat(both, location, words)

    def _members(self, schema: Schema, location: Location) -> tuple[list[Flat], list[str]]:
        """Remove ``$ref`` and ``allOf`` from *schema*, and return their schemas, and words for the description."""
        members: list[Flat] = []
        words: list[str] = []
        if "$ref" in schema:
            reference = schema.pop("$ref")
            if isinstance(reference, str):
                found = self._follow(reference, schema, location, words)
                members += [found] if found is not None else []
            else:
                self.context.note("keyword_dropped", location, "$ref")
        if "allOf" in schema:
            given = schema.pop("allOf")
            self.context.note(
                "all_of_merged" if isinstance(given, list) else "keyword_dropped", location, "allOf"
            )
            if location.joined >= _MAX_OPEN:
                self.context.note("depth_flattened", location, kept=False)
            elif isinstance(given, list):
                inner = replace(location, joined=location.joined + 1)
                members += [self.flatten(member, inner) for member in given]
        return members, words

    def _follow(self, reference: str, beside: Schema, location: Location, words: list[str]) -> Flat | None:
        target = self.context.references.find(reference)
        if target is None:
            self.context.note("ref_unresolved", location, "$ref", kept=False)
            words.append(f"See {reference}.")
            return None
        plain = all(map(is_annotation, beside))
        if plain and not location.expand_references and self._may_stay(target):
            name = self.context.references.name_of(reference, target)
            self.definitions[name] = target
            if beside or reference != f"#/$defs/{name}":
                self.context.note("annotation_dropped" if beside else "ref_inlined", location, "$ref")
            return Flat({}, location, reference=f"#/$defs/{name}")
        if id(target) in location.open or location.joined >= _MAX_OPEN:
            self.context.note("ref_cut", location, "$ref", kept=False)
            name = reference.rpartition("/")[2].lstrip("#")
            words.append(f"Here again: {name}." if name else "Here again: the whole.")
            kind = target.get("type", "object") if isinstance(target, Mapping) else "object"
            return Flat({"type": [kind]} if kind in KINDS else {}, location)
        self.context.note("ref_inlined", location, "$ref")
        open_ = location.open | {id(target)} if isinstance(target, Mapping) else location.open
        return self.flatten(target, replace(location, open=open_, joined=location.joined + 1))

    def _may_stay(self, target: Target) -> bool:
        references = self.context.references
        return (
            self.context.dialect.references
            and references.is_recursive(target, strictly=False)
            and not references.is_recursive(target, strictly=True)
        )

    def _with_null(self, schema: Schema, location: Location) -> Schema:
        """Return *schema* with OpenAPI's ``nullable`` expressed in JSON Schema."""
        nullable = schema.pop("nullable")
        if nullable is not True:
            self.context.note("annotation_dropped", location, "nullable")
            return schema
        combined = {"$ref", "allOf", "anyOf", "if", "not", "oneOf"} & schema.keys()
        kind = schema.get("type")
        if self.context.dialect.null != "nullable" or combined or not isinstance(kind, str):
            self.context.note("nullable", location, "nullable")
        if not combined and isinstance(kind, str | list):
            schema["type"] = [*(kind if isinstance(kind, list) else [kind]), "null"]
            if isinstance(schema.get("enum"), list):
                schema["enum"] = [*schema["enum"], None]
            if "const" in schema:
                self.context.note("const_as_enum", location, "const")
                schema["enum"] = [schema.pop("const"), None]
            return schema
        said = {name: value for name, value in schema.items() if is_annotation(name)}
        rest = {name: value for name, value in schema.items() if name not in said}
        return {"anyOf": [rest, {"type": "null"}], **said} if rest else said

    def _write_constant(self, schema: Schema, location: Location) -> None:
        if "const" in schema:
            value = schema.pop("const")
            self.context.note("const_as_enum", location, "const")
            allowed = schema.get("enum")
            if not isinstance(allowed, list) or any(
                same(value, other, self.context.count_values) for other in allowed
            ):
                schema["enum"] = [value]
        if "enum" in schema and (not isinstance(schema["enum"], list) or not schema["enum"]):
            del schema["enum"]
            self.context.note("keyword_dropped", location, "enum", kept=False)

    def _write_types(self, schema: Schema, location: Location, *, listed: bool) -> None:
        """Make ``type`` a list of JSON Schema's types, or remove it.

        *listed* says that the given ``type`` was a list.
        """
        if "type" not in schema:
            return
        given = schema.pop("type")
        if isinstance(given, list) and len(given) > _USUAL_KEYWORDS:
            self.context.count(len(given) // 4)  # each unknown one is noted
        types: list[str] = []
        for one in given if isinstance(given, list) else [given]:
            spelled = one.lower() if isinstance(one, str) else ""
            kind = _SPELLINGS.get(spelled, spelled)
            known = kind in KINDS or kind == "null"
            if kind != one or not known:
                self.context.note("type_spelled" if known else "type_inferred", location, "type", kept=known)
            if known and kind not in types:
                types.append(kind)
        if "number" in types and "integer" in types:
            types.remove("integer")
        if types:
            schema["type"] = types
        if listed and (self.context.dialect.typed or types != given or len(types) < 2):
            self.context.note("type_array", location, "type")


def _write_bounds(schema: Schema) -> None:
    """Write draft 4's ``exclusiveMinimum: true`` as draft 6's exclusive bound."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(exclusive) is True and bound in schema:
            schema[exclusive] = schema.pop(bound)
