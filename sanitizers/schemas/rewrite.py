"""Rewrite one schema for a dialect with fewer keywords than JSON Schema, from the outside in.

First, ``flatten`` resolves references, allOf, constants and null, which leaves one schema with a list of types. Then
anyOf, oneOf and several types become a choice without other keywords, or one schema. Last, ``write`` writes a schema of
one type in the dialect's keywords, and describes the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sanitizers.schemas.alternatives import Alternatives
from sanitizers.schemas.choices import (
    allows_null,
    are_exclusive,
    is_enumeration,
    is_null,
    only_require,
    union,
)
from sanitizers.schemas.context import Flat, Location, RewriteContext
from sanitizers.schemas.descriptions import described
from sanitizers.schemas.enumerations import Enumerations
from sanitizers.schemas.flatten import Flattener
from sanitizers.schemas.fold import fold_branches
from sanitizers.schemas.keywords import KINDS, implied_kind
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.objects import list_properties
from sanitizers.schemas.size import DEEPEST_WRITTEN, is_leaf
from sanitizers.schemas.values import distinct
from sanitizers.schemas.write import Writer

_MAX_DISTRIBUTED = 64
"""The most properties that a choice may repeat: the properties next to the choice, times its branches.

A larger choice becomes one object (:mod:`sanitizers.schemas.fold`).
"""

_OF_VALUES = frozenset({"description", "enum", "nullable", "title", "type"})
"""Keywords that may stand beside a list of values."""

_ANYTHING = ("string", "number", "boolean", "object")
"""The types for a schema that accepts anything."""


class Rewriter:
    """Rewrites the schemas inside one tool's schema."""

    def __init__(self, context: RewriteContext) -> None:
        self._context = context
        self._dialect = context.dialect
        self._flattener = Flattener(context)
        self._writer = Writer(context, self.clean)
        self._alternatives = Alternatives(context, self._writer)
        self._enumerations = Enumerations(context, self._flattener)

    def root(self) -> Schema:
        """Return the outermost schema, an object, cleaned and with the definitions that it needs."""
        location = self._context.top
        cleaned = self._node(self.root_object()) or {"type": "object"}
        list_properties(cleaned, self._context)
        if not self._dialect.empty_objects and "properties" not in cleaned and cleaned.keys() != {"type"}:
            self._context.note("empty_object", location, kept=False)
            cleaned = {"type": "object"}
        definitions: Schema = {}
        while waiting := [name for name in self._flattener.definitions if name not in definitions]:
            for name in waiting:
                target = self._flattener.definitions[name]
                inner = replace(Location(open=frozenset({id(target)})).into("$defs", name), depth=1)
                definitions[name] = self.clean(target, inner) or {"type": "object"}
        given = self._context.root.get("$defs")
        if "$defs" in self._context.root and not (
            isinstance(given, Mapping) and given.keys() <= definitions.keys()
        ):
            self._context.note("annotation_dropped", location, "$defs")
        return {**cleaned, "$defs": definitions} if definitions else cleaned

    def root_object(self) -> Flat:
        """Return the outermost schema as an object without branches and enumerations."""
        flat = self._flattener.flatten(self._context.root, self._context.top)
        if flat.nothing:
            self._context.note("root_object", flat.location, kept=False)
            flat = Flat({}, flat.location)
        flat = fold_branches(flat, self._flattener)
        if flat.types != ["object"]:
            fits = flat.types is None or "object" in flat.types
            self._context.note("root_object", flat.location, kept=fits)
            flat = replace(flat, schema={**flat.schema, "type": ["object"]})
        if "enum" in flat.schema:
            self._context.note("enum_in_words", flat.location, "enum", kept=False)
            values = self._context.spell_out_json(flat.schema["enum"])
            flat = replace(flat.without("enum"), words=(*flat.words, f"One of: {values}"))
        return flat

    def clean(self, given: Any, location: Location) -> Schema | None:
        """Return *given*, which stands at *location*, cleaned, or None where no value matches it."""
        if location.depth >= DEEPEST_WRITTEN and not is_leaf(given):
            self._context.count()
            return self._cut(given, location)
        return self._node(self._flattener.flatten(given, location))

    def _cut(self, given: Any, location: Location) -> Schema:
        """Return a schema for *given*, which is nested too deeply: its type, with its JSON in the description."""
        self._context.note("depth_flattened", location, kept=False)
        kind = given.get("type") if isinstance(given, Mapping) else None
        kind = next(iter(kind), None) if isinstance(kind, list) else kind
        if not isinstance(kind, str) or kind not in KINDS or kind == "object":
            kind = "object" if self._dialect.empty_objects else "string"
        told = described("", [f"Its schema: {self._context.spell_out_json(given)}"])
        return {
            "type": kind,
            **({"items": {"type": "string"}} if kind == "array" else {}),
            "description": told,
        }

    def _node(self, flat: Flat) -> Schema | None:
        if flat.nothing:
            return None
        if flat.reference:
            return {"$ref": flat.reference}
        for keyword in ("anyOf", "oneOf"):
            given = flat.schema.get(keyword)
            if keyword in flat.schema and (not isinstance(given, list) or not given):
                self._context.note("keyword_dropped", flat.location, keyword, kept=False)
                flat = flat.without(keyword)
            elif keyword in flat.schema and flat.location.depth >= DEEPEST_WRITTEN:
                return self._cut(flat.schema, flat.location)
            elif keyword in flat.schema and self._dialect.typed:
                return self._choice(flat, keyword)
            elif keyword in flat.schema and "properties" in flat.schema and only_require(given):
                flat = fold_branches(flat, self._flattener)
        if "enum" in flat.schema or self._dialect.typed:
            return self._typed(flat)
        return self._writer.write(flat, flat.types)

    def _typed(self, flat: Flat) -> Schema | None:
        """Return a schema of one type, a choice of such schemas, or None where no value matches."""
        constraints, said = flat.split()
        if "enum" in flat.schema:
            parts, null = self._enumerations.read(constraints)
        elif flat.types is None:
            parts, null = dict.fromkeys(self._implied(flat), constraints), False
        else:
            parts = {kind: constraints for kind in flat.types if kind != "null"}
            null = "null" in flat.types
        if not parts and not null:
            return None
        if not parts:
            others = constraints.schema.keys() - {"type"}
            if others:
                reason = "enum_typed" if others == {"enum"} else "keyword_dropped"
                self._context.note(reason, flat.location, kept=not {"if", "not"} & others)
            return self._alternatives.only_null(said)
        if len(parts) == 1:
            [(kind, part)] = parts.items()
            whole = replace(part, schema={**part.schema, **said.schema}, words=(*said.words, *part.words))
            out = self._writer.write(whole, [kind])
        else:
            nodes = [self._writer.write(part, [kind], split=True) for kind, part in parts.items()]
            out = self._alternatives.choose(nodes, said)
        return self._alternatives.nullable(out, flat.location) if null else out

    def _implied(self, flat: Flat) -> list[str]:
        """Return the types to write for a schema that names no type."""
        if kind := implied_kind(flat.schema):
            self._context.note("type_inferred", flat.location, kept=False)
            return [kind]
        self._context.note("any_value", flat.location, kept=False)
        kinds = [kind for kind in _ANYTHING if kind != "object" or self._dialect.empty_objects]
        return kinds if self._dialect.choices else ["string"]

    def _choice(self, flat: Flat, keyword: str) -> Schema | None:
        """Return the choice without other keywords next to it, as the dialect requires.

        Each branch gets these keywords, unless the choice becomes an enumeration or one object.
        """
        location, base = flat.location, flat.without(keyword)
        branches, nulls = self._branches(flat, keyword)
        if keyword == "oneOf":
            exclusive = are_exclusive([*branches, *nulls])
            self._context.note("one_of_as_any_of", location, keyword, kept=exclusive)
        null = bool(nulls) and allows_null(base)
        if not branches:
            self._context.note("any_of_distributed", location, keyword)
            return self._alternatives.only_null(base.split()[1]) if null else None
        if all(map(is_enumeration, branches)) and (len(branches) > 1 or null):
            if len(branches) > 1:
                self._context.note("any_of_as_enum", location, keyword)
            merged, words = union(branches)
            if null:
                self._context.note("nullable", location, keyword)
                merged["enum"].append(None)
            return self._node(self._flattener.join(base, Flat(merged, location, tuple(words))))
        if len(branches) > 1 and self._folds(base, branches):
            return self._node(fold_branches(flat, self._flattener))
        constraints, said = base.split()
        nodes, null_node = self._write_branches(branches, constraints)
        null = null or null_node
        if constraints.schema or len(branches) == 1 or len(nodes) > len(branches):
            self._context.note("any_of_distributed", location, keyword)
        unique = distinct(nodes)
        if len(unique) < len(nodes):
            self._context.note("duplicate_branch", location, keyword)
        if not unique:
            return self._alternatives.only_null(base.split()[1]) if null else None
        if len(unique) > 1 and all(node.keys() <= _OF_VALUES and "enum" in node for node in unique):
            # The keywords beside the choice have turned its branches into enumerations.
            inner, _ = self._branches(Flat({keyword: unique}, location), keyword)
            merged, told = union(inner)
            self._context.note("any_of_as_enum", location, keyword)
            merged["enum"] += [None] if null else []
            return self._node(self._flattener.join(said, Flat(merged, location, tuple(told))))
        out = (
            self._alternatives.over(unique[0], said)
            if len(unique) == 1
            else self._alternatives.choose(unique, said)
        )
        if null:
            self._context.note("nullable", location, keyword)
        return self._alternatives.nullable(out, location) if null else out

    def _branches(self, flat: Flat, keyword: str) -> tuple[list[Flat], list[Flat]]:
        """Return the branches that allow more than null, and those that allow null alone."""
        branches: list[Flat] = []
        nulls: list[Flat] = []
        for at, given in enumerate(flat.schema[keyword]):
            branch = self._flattener.flatten(given, flat.location.into(keyword, at))
            if branch.nothing:
                self._context.note("boolean_schema", branch.location)
            else:
                (nulls if is_null(branch) else branches).append(branch)
        return branches, nulls

    def _write_branches(self, branches: list[Flat], constraints: Flat) -> tuple[list[Schema], bool]:
        """Return each of *branches* cleaned together with *constraints*, and whether any of them allows null alone."""
        nodes: list[Schema] = []
        null = False
        for branch in branches:
            joined = self._flattener.join(constraints, branch)
            node = self._node(replace(joined, location=replace(branch.location, open=joined.location.open)))
            if node is not None and node.get("type") == "null":
                null = True
            elif node is not None:
                nodes += node["anyOf"] if node.keys() == {"anyOf"} else [node]  # a choice in a choice
        return nodes, null

    def _folds(self, base: Flat, branches: list[Flat]) -> bool:
        """Tell whether a choice beside properties becomes one object, with its branches in the description.

        This holds where no branch has properties, or where the branches would repeat too many properties.
        """
        properties = base.schema.get("properties")
        if not isinstance(properties, Mapping):
            return False
        silent = all("properties" not in branch.schema for branch in branches)
        return silent or len(properties) * len(branches) > _MAX_DISTRIBUTED
