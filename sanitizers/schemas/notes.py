"""The record of what was rewritten in a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Schema = dict[str, Any]

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "all_of_merged": "the members of an allOf are one schema",
        "annotation_dropped": "what says nothing about a value is left out ($schema, $comment, title, x-…)",
        "any_of_alone": "an anyOf stands alone: what stood beside it is in its branches",
        "any_of_as_enum": "a choice of constants is an enumeration",
        "any_of_distributed": "what stood beside an anyOf holds in each of its branches",
        "any_value": "a schema that takes anything names the types that it takes",
        "boolean_schema": "true or false as a schema is written without it",
        "choice_in_words": "alternatives are told, and their properties are those of the whole",
        "closed_object": "that no other properties are allowed cannot be said",
        "const_as_enum": "a constant is an enumeration of one",
        "depth_flattened": "what lies below the levels that are taken is told",
        "duplicate_branch": "a branch that says what another one says is left out",
        "empty_enum_value": "an empty text cannot be in an enumeration, and is told",
        "empty_object": "an object without properties is written as the provider takes it",
        "enum_as_range": "an enumeration of whole numbers without gaps is a range",
        "enum_in_words": "an enumeration of values that cannot be listed is told",
        "enum_typed": "an enumeration has the type of its values",
        "exclusive_bound": "an exclusive bound is written as one that is not",
        "format_dropped": "a format that is not known is told",
        "items_added": "an array says what its items are",
        "keyword_dropped": "a keyword that means nothing where it stands, or is malformed, is left out",
        "keyword_in_words": "a keyword that cannot be said is told",
        "nullable": "null is written in the way that is taken",
        "one_of_as_any_of": "oneOf is anyOf",
        "one_type_left": "of several types or branches the first one is left, and the others are told",
        "properties_added": "an object lists its properties, though it has none",
        "ref_cut": "a reference to what it stands in ends in a value of that type",
        "ref_inlined": "a reference is what it refers to",
        "ref_unresolved": "a reference to nothing that is known is told",
        "required_pruned": "only properties that there are can be required",
        "root_object": "the parameters of a function are an object",
        "tuple_items": "items that differ by their place are written as the provider takes them",
        "type_array": "several types are an anyOf, or the one and nullable",
        "type_inferred": "the type is what the rest of the schema implies",
        "type_spelled": "a type is spelled as JSON Schema spells it",
        "values_in_words": "values of texts are told",
    }
)
"""All reasons with their meaning."""


@dataclass(frozen=True, slots=True)
class Note:
    """One rewrite: *reason* is a key of :data:`REASONS`, *path* a JSON pointer into the given schema.

    The path of a schema behind a reference begins with the path of the reference. *kept* tells whether the cleaned
    schema accepts exactly the values that the given one accepted.
    """

    reason: str
    path: str
    kept: bool


@dataclass(frozen=True, slots=True)
class CleanedSchema:
    """A schema for one dialect. *schema* is the given object itself when there are no *notes*."""

    schema: Schema
    notes: tuple[Note, ...] = ()

    @property
    def losses(self) -> int:
        """The number of rewrites that changed which values match."""
        return sum(not note.kept for note in self.notes)
