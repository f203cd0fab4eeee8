"""JSON Schema's keywords, with the types that each one constrains."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

KINDS = ("string", "number", "integer", "boolean", "object", "array")
"""The types of JSON Schema except null, which each dialect expresses in its own way."""

_NUMBERS = frozenset({"integer", "number"})
_ANY = frozenset(KINDS)

_OF_TYPES = {
    frozenset({"object"}): (
        "additionalProperties dependencies dependentRequired dependentSchemas maxProperties minProperties "
        "patternProperties properties propertyNames propertyOrdering required unevaluatedProperties"
    ),
    frozenset({"array"}): (
        "additionalItems contains items maxContains maxItems minContains minItems prefixItems unevaluatedItems "
        "uniqueItems"
    ),
    frozenset({"string"}): "maxLength minLength pattern",
    _NUMBERS: "exclusiveMaximum exclusiveMinimum maximum minimum multipleOf",
    _NUMBERS | {"string"}: "format",
    _ANY: "else if not then",
}

KINDS_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {keyword: kinds for kinds, keywords in _OF_TYPES.items() for keyword in keywords.split()}
)
"""The types that a keyword constrains."""

_IMPLYING = ("object", "array", "number", "string")
"""The order of preference among several types that a schema's keywords imply."""

MEANINGLESS_KEYWORDS = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$id",
        "$recursiveAnchor",
        "$schema",
        "$vocabulary",
        "definitions",
        "discriminator",
        "encrypted",
        "externalDocs",
        "id",
        "readOnly",
        "strict",
        "writeOnly",
        "xml",
    }
)
"""Keywords without meaning for a value or a model.

``discriminator`` repeats the constants of the branches. ``encrypted`` stands in the schemas of codex's tools for
collaboration (codex 0.169.0, run in 2026-11).
"""

ANNOTATIONS = MEANINGLESS_KEYWORDS | {
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "deprecated",
    "description",
    "example",
    "examples",
    "title",
}
"""Keywords that refuse no value."""

STRUCTURE = frozenset(
    {"additionalItems", "items", "patternProperties", "prefixItems", "properties", "propertyOrdering"}
)

COUNTS = frozenset({"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"})
BOUNDS = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"})


def is_annotation(keyword: str) -> bool:
    """Tell whether no value is refused by *keyword*. This includes keywords that JSON Schema does not know."""
    return keyword in ANNOTATIONS or not (
        keyword in KINDS_OF
        or keyword in ("$ref", "allOf", "anyOf", "const", "enum", "nullable", "oneOf", "type")
    )


def implied_kind(keywords: Collection[str]) -> str | None:
    """Return the type that *keywords* imply, or None where they imply none."""
    implied = frozenset[str]().union(
        *(KINDS_OF[keyword] for keyword in KINDS_OF.keys() & keywords if len(KINDS_OF[keyword]) <= 2)
    )
    kind = next((kind for kind in _IMPLYING if kind in implied), None)
    return "string" if kind is None and "format" in keywords else kind
