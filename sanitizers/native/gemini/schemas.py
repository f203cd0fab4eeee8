"""Translate Gemini's ``Schema``, a dialect of OpenAPI's, into JSON Schema.

Its types are in capitals, and ``nullable`` stands for a further type. Other providers refuse both (litellm#12191). Real
clients write such types into JSON Schema too (gemini-cli in ``responseJsonSchema``, 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any

from sanitizers.native.gemini.spellings import both_spellings, enum_word
from sanitizers.work_limit import metered

_TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **both_spellings(
            "additionalProperties",
            "anyOf",
            "maxItems",
            "maxLength",
            "maxProperties",
            "minItems",
            "minLength",
            "minProperties",
            "propertyOrdering",
        ),
        "defs": "$defs",
        "ref": "$ref",
    }
)
"""Maps the spellings of a ``Schema``'s fields to their names in JSON Schema (ai.google.dev/api/caching#Schema)."""

_OF_NAMES = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE = frozenset(
    {"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"}
)
_COUNTS = frozenset({"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"})
_LONGEST_COUNT = 19
"""The digits of the largest int64. Proto JSON writes such numbers as texts."""

_BOUNDS = frozenset({"maximum", "minimum"})
_LONGEST_BOUND, _LARGEST_WHOLE = 32, 2**53
"""The most characters of a bound that is read as a number, and the limit of those that stay whole numbers."""


def from_gemini_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *schema*, the value of ``parameters`` or ``responseSchema``, as JSON Schema.

    Names may have either spelling. Those of properties stay as they are, and so do values. Fields that a ``Schema``
    does not have are kept.
    """
    return _Translator(_NAMES).translate(schema)


def lower_types(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *schema*, which is JSON Schema by its field's name, with its types in JSON Schema's own words."""
    return _Translator(MappingProxyType({})).translate(schema)


class _Translator:
    """Translates one schema, level by level, since a client decides the depth."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._waiting: list[tuple[Mapping[str, Any], dict[str, Any]]] = []

    def translate(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        root: dict[str, Any] = self._copy(schema)
        while self._waiting:
            given, made = self._waiting.pop()
            self._fill(given, made)
        return root

    def _copy(self, schema: Any) -> Any:
        """Return the translation of *schema*, which is filled later. Values that are no objects are kept."""
        if not isinstance(schema, Mapping):
            return schema
        made: dict[str, Any] = {}
        self._waiting.append((schema, made))
        return made

    def _fill(self, given: Mapping[str, Any], made: dict[str, Any]) -> None:
        order: Any = None
        is_nullable = False
        for key, value in metered(given.items()):
            name = self._names.get(key, key)
            if name == "type":
                if (kind := _type_of(value)) is not None:
                    made[name] = kind
            elif name == "nullable" and isinstance(value, bool):
                is_nullable = value
            elif name == "propertyOrdering" and self._names:
                order = value
            elif name == "example" and self._names:
                made["examples"] = [value]
            elif name in _OF_NAMES and isinstance(value, Mapping):
                made[name] = {inner: self._copy(child) for inner, child in metered(value.items())}
            elif name in _LISTS and isinstance(value, list):
                made[name] = [self._copy(child) for child in metered(value)]
            elif name in _SINGLE:
                made[name] = self._copy(value)
            elif name in _COUNTS:
                made[name] = _count_of(value)
            elif name in _BOUNDS and self._names:
                made[name] = _bound_of(value)
            else:
                made[name] = value
        if isinstance(order, list) and isinstance(made.get("properties"), dict):
            made["properties"] = _ordered(made["properties"], order)
        if is_nullable:
            _allow_null(made)


def _type_of(kind: Any) -> Any:
    """Return *kind* in JSON Schema's words, or None for a type that says nothing. Other values are kept."""
    if isinstance(kind, list):
        return [_lower(one) for one in metered(kind)]
    return None if enum_word(kind, _TYPES) == _TYPES[0] else _lower(kind)


def _lower(kind: Any) -> Any:
    word = enum_word(kind, _TYPES)
    return kind if word is None or word == _TYPES[0] else word.lower()


def _count_of(value: Any) -> Any:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_COUNT:
        return int(value)
    return value


def _bound_of(value: Any) -> Any:
    """Return the number in *value*, which proto JSON takes as a text too. Other values are kept."""
    if not isinstance(value, str) or len(value) > _LONGEST_BOUND:
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    if not isfinite(number):
        return value
    return int(number) if number.is_integer() and abs(number) < _LARGEST_WHOLE else number


def _ordered(properties: dict[str, Any], order: list[Any]) -> dict[str, Any]:
    """Return *properties* in the *order* that the client names. A model writes its answer in the order of a schema."""
    first = {
        name: properties[name] for name in metered(order) if isinstance(name, str) and name in properties
    }
    return {**first, **properties}


def _allow_null(schema: dict[str, Any]) -> None:
    """Allow null in *schema*, as ``nullable`` does."""
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "null":
        schema["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        schema["type"] = [*kind, "null"]
    elif kind is None and isinstance(schema.get("anyOf"), list):
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        schema["enum"] = [*values, None]
