"""Checks that a schema has the form that the validator expects.

The validator trusts a schema's form: with ``required: "city"`` it would require ``c``, ``i``, ``t`` and ``y``. The
metaschemas define the form. A check against them takes 2 ms for a small schema and 240 ms for one of 22 kB (jsonschema
4.26). The walk in this module takes a hundredth of that time. The walk checks only the keywords in the tables of this
module, and accepts any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

DEEPEST = 32
"""The deepest nesting of schemas. The validator recurses."""

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_type(value: Any) -> bool:
    return value in _TYPES if isinstance(value, str) else _is_names(value) and _TYPES.issuperset(value)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, (dict, list))


_SHAPES: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "$ref": lambda value: isinstance(value, str) and (value == "#" or value.startswith("#/")),
        "const": _is_scalar,
        "dependentRequired": lambda value: isinstance(value, dict) and all(map(_is_names, value.values())),
        "enum": lambda value: isinstance(value, list) and all(map(_is_scalar, value)),
        "required": _is_names,
        "type": _is_type,
        **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"), _is_number),
        **dict.fromkeys(("maxItems", "maxLength", "maxProperties"), _is_count),
        **dict.fromkeys(("minContains", "minItems", "minLength", "minProperties", "maxContains"), _is_count),
        "multipleOf": lambda value: _is_number(value) and value > 0,
    }
)
_SCHEMAS = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("$defs", "definitions", "properties")


def has_shape(word: str, value: Any) -> bool:
    """Return True where the keyword *word* may hold *value*, without a look at nested schemas."""
    shape = _SHAPES.get(word)
    return shape is None or shape(value)


def is_usable(schema: Any) -> bool:
    """Return True where *schema* can be used as it is written.

    All schemas in it must be well-formed and nested at most :data:`DEEPEST` levels. References must be JSON pointers
    into the same document.
    """
    level = [schema]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, bool):
                continue
            if not isinstance(each, dict) or not _is_well_formed(each, inner):
                return False
        if not inner:
            return True
        level = inner
    return False


def _is_well_formed(schema: dict[str, Any], inner: list[Any]) -> bool:
    """Return True where the keywords of *schema* are well-formed. Its nested schemas are added to *inner*."""
    for word, value in schema.items():
        if not has_shape(word, value):
            return False
        if word in _SCHEMAS:
            inner.append(value)
        elif word in _LISTS:
            if not isinstance(value, list):
                return False
            inner += value
        elif word in _MAPS:
            if not isinstance(value, dict):
                return False
            inner += value.values()
    return True
