"""The record of the rewrites that cleaning made in a tool's schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Schema = dict[str, Any]

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "all_of_merged": "the members of an allOf are joined into one schema",
        "annotation_dropped": "a keyword that constrains no value is left out ($schema, $comment, title, x-…)",
        "any_of_alone": "an anyOf has no other keywords: they are in its branches",
        "any_of_as_enum": "a choice of constants becomes an enumeration",
        "any_of_distributed": "each branch of an anyOf gets the keywords that stood beside it",
        "any_value": "a schema that accepts anything names the types that it accepts",
        "boolean_schema": "the schema true or false is written without it",
        "choice_in_words": "alternatives are described, and their properties are those of the whole",
        "closed_object": "the rule that no other properties are allowed is left out",
        "const_as_enum": "a constant becomes an enumeration of one value",
        "depth_flattened": "the schema below the deepest accepted level is described",
        "duplicate_branch": "a branch that equals another one is left out",
        "empty_enum_value": "an empty text cannot be in an enumeration, and is described",
        "empty_object": "an object without properties is written as the provider accepts it",
        "enum_as_range": "an enumeration of whole numbers without gaps becomes a range",
        "enum_in_words": "an enumeration of values that cannot be listed is described",
        "enum_typed": "an enumeration gets the type of its values",
        "exclusive_bound": "an exclusive bound becomes an inclusive one",
        "format_dropped": "an unknown format is described",
        "items_added": "an array gets a schema for its items",
        "keyword_dropped": "a keyword that is malformed, or has no meaning in its place, is left out",
        "keyword_in_words": "a keyword that the provider does not have is described",
        "nullable": "null is written as the provider accepts it",
        "one_of_as_any_of": "oneOf becomes anyOf",
        "one_type_left": "the first of several types or branches stays, and the others are described",
        "properties_added": "an object without properties lists none",
        "ref_cut": "a reference to a schema that it stands in becomes a value of that type",
        "ref_inlined": "a reference is replaced with its target",
        "ref_unresolved": "a reference without a known target is described",
        "required_pruned": "a required property that does not exist is left out",
        "root_object": "the parameters of a function become an object",
        "tuple_items": "items that differ by place are written as the provider accepts them",
        "type_array": "several types become an anyOf, or one type and null",
        "type_inferred": "the type is inferred from the rest of the schema",
        "type_spelled": "a type gets the spelling of JSON Schema",
        "values_in_words": "the values of an enumeration of texts are described",
    }
)
"""All reasons with their meaning."""


@dataclass(frozen=True, slots=True)
class Note:
    """One rewrite: *reason* is a key of :data:`REASONS`, *path* a JSON pointer into the given schema.

    The path of a schema that a reference points to begins with the path of the reference. *kept* tells whether the
    rewrite left the set of accepted values unchanged.
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
        """The number of rewrites that changed the set of accepted values."""
        return sum(not note.kept for note in self.notes)
