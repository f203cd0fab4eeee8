"""Write a flat schema in the keywords that a dialect knows, and describe the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.schemas.arrays import write_items
from sanitizers.schemas.context import Clean, Draft, Flat, RewriteContext
from sanitizers.schemas.descriptions import described
from sanitizers.schemas.keywords import BOUNDS, COUNTS, KINDS, KINDS_OF, MEANINGLESS_KEYWORDS, is_annotation
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.objects import finish_object, write_properties
from sanitizers.schemas.scalars import write_bounds, write_format
from sanitizers.schemas.values import as_json

_TOGETHER = BOUNDS | {
    "additionalItems",
    "additionalProperties",
    "format",
    "items",
    "prefixItems",
    "properties",
    "propertyOrdering",
    "required",
}
"""Keywords that are written by functions for several keywords together.

All other keywords are written by themselves.
"""

_EMPTY = frozenset(
    {"dependencies", "dependentRequired", "dependentSchemas", "else", "patternProperties", "then"}
)
"""Keywords that constrain nothing when they are empty."""

_TOLD = ("contentEncoding", "contentMediaType", "contentSchema", "deprecated", "examples")


class Writer:
    """Writes the schemas inside one tool's schema. *clean* cleans the schemas that these hold."""

    def __init__(self, context: RewriteContext, clean: Clean) -> None:
        self._context = context
        self._clean = clean

    def write(self, flat: Flat, types: list[str] | None, *, split: bool = False) -> Schema:
        """Return *flat*, a schema of *types* (None is any type), in the dialect.

        *split* says that keywords of other types are written elsewhere.
        """
        kinds = frozenset(KINDS if types is None else types)
        kind = {} if types is None else {"type": types[0] if len(types) == 1 else types}
        draft = Draft(
            self._context, self._clean, flat, kinds, types is not None, kind, words=list(flat.words)
        )
        self._write_plain(draft, split=split)
        if "enum" in draft.schema:
            draft.out["enum"] = draft.schema["enum"]
        if "format" in draft.schema and kinds & KINDS_OF["format"]:
            write_format(draft)
        if kinds & {"integer", "number"}:
            write_bounds(draft)
        if "array" in kinds:
            write_items(draft)
        if "object" in kinds:
            write_properties(draft)
        for keyword in ("anyOf", "oneOf"):
            if keyword in draft.schema:
                self._write_branches(draft, keyword)
        if draft.rules:
            draft.note("keyword_in_words", kept=False)
            draft.words.append(f"Rules: {self._context.spell_out_json(draft.rules)}")
        if types == ["object"]:
            finish_object(draft)
        return {**draft.out, **self._annotations(draft.flat, draft.words)}

    def said(self, flat: Flat) -> Schema:
        """Return the annotations of *flat*, with its words in the description."""
        return self._annotations(flat, list(flat.words))

    def description_of(self, flat: Flat) -> str:
        """Return the annotations of *flat* in words alone, for a choice without other keywords."""
        words = list(flat.words)
        for keyword in ("default", "example"):
            if flat.schema.get(keyword) is not None:
                words.append(f"{keyword.capitalize()}: {as_json(flat.schema[keyword])}")
        said = {
            name: value for name, value in flat.schema.items() if name not in ("default", "example", "title")
        }
        return str(self._annotations(Flat(said, flat.location), words).get("description", ""))

    def _write_plain(self, draft: Draft, *, split: bool) -> None:
        """Write the keywords that need no other keyword, and note those without meaning for these types."""
        for keyword, value in draft.schema.items():
            if keyword not in KINDS_OF:
                continue
            if not KINDS_OF[keyword] & draft.kinds:
                if not split:
                    draft.note("keyword_dropped", keyword)
            elif keyword in _TOGETHER:
                continue
            elif (keyword in COUNTS and not _is_count(value)) or (
                keyword == "pattern" and not isinstance(value, str)
            ):
                draft.note("keyword_dropped", keyword, kept=False)
            elif draft.knows(keyword):
                draft.out[keyword] = value
            elif _says_nothing(keyword, value):
                draft.note("keyword_dropped", keyword)
            else:
                draft.rules[keyword] = value

    def _write_branches(self, draft: Draft, keyword: str) -> None:
        """Write a choice that may stand beside other keywords."""
        branches = []
        for at, given in enumerate(draft.schema[keyword]):
            branch = self._clean(given, draft.location.into(keyword, at))
            if branch is None:
                draft.note("boolean_schema", keyword)
            else:
                branches.append(branch)
        draft.out[keyword] = branches or [{"type": "null"}]

    def _annotations(self, flat: Flat, words: list[str]) -> Schema:
        """Return the annotations: known keywords as they are, and the rest in the description, with *words*."""
        known, out = self._context.dialect.keywords, {}
        others: Schema = {}
        for keyword, value in flat.schema.items():
            if keyword == "description" or not is_annotation(keyword):
                continue
            if keyword == "$defs" and keyword in known and not flat.location.depth:
                continue  # definitions are written where references need them
            plain = not (self._context.dialect.plain_values and isinstance(value, Mapping | list))
            if keyword in known and value is not None and plain and _fits_in(keyword, value):
                out[keyword] = value
            elif keyword == "default" and value is not None:
                self._context.note("keyword_in_words", flat.location, keyword)
                words.append(f"Default: {as_json(value)}")
            elif keyword in _TOLD or not (
                keyword in MEANINGLESS_KEYWORDS or (keyword in known and plain) or keyword == "title"
            ):
                self._tell(keyword, value, flat, others)
            else:
                self._context.note("annotation_dropped", flat.location, keyword)
        if others:
            words.append(f"Notes: {self._context.spell_out_json(others)}")
        given = flat.schema.get("description")
        description = described(given, words)
        if description:
            out["description"] = description
        elif "description" in flat.schema:
            self._context.note("annotation_dropped", flat.location, "description")
        return out

    def _tell(self, keyword: str, value: Any, flat: Flat, others: Schema) -> None:
        told = not keyword.startswith("x-") and value not in (None, False, [], {}, "")
        self._context.note("keyword_in_words" if told else "annotation_dropped", flat.location, keyword)
        if told:
            others[keyword] = value


def _fits_in(keyword: str, value: Any) -> bool:
    return keyword != "$defs" and (keyword != "title" or isinstance(value, str))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _says_nothing(keyword: str, value: Any) -> bool:
    """Tell whether every value matches the keyword."""
    if keyword == "uniqueItems":
        return value is not True
    if keyword in ("propertyNames", "unevaluatedItems", "unevaluatedProperties"):
        return value is True or value == {}
    return keyword in _EMPTY and value == {}
