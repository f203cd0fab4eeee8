"""Tests of translating Gemini's schemas into JSON Schema."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.native.gemini.schemas import from_gemini_schema, lower_types

SCALARS = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")


@pytest.mark.parametrize("number", range(len(SCALARS)))
@pytest.mark.parametrize("translate", [from_gemini_schema, lower_types])
def test_type_has_json_schema_s_word(translate: Any, number: int) -> None:
    """Types come in capitals, in any case, and as the number of the enum."""
    word = SCALARS[number]

    for kind in (word, word.lower(), word.title(), number + 1):
        assert translate({"type": kind}) == {"type": word.lower()}


@pytest.mark.parametrize(
    ("schema", "translated"),
    [
        ({"type": "TYPE_UNSPECIFIED", "title": "t"}, {"title": "t"}),
        ({"type": "STRING", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "STRING", "nullable": False}, {"type": "string"}),
        ({"type": "NULL", "nullable": True}, {"type": "null"}),
        ({"type": ["STRING", "NULL"], "nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["STRING"], "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "STRING", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"any_of": [{"type": "STRING"}], "nullable": True},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        ({"nullable": True}, {}),
        ({"min_items": "2", "maxItems": 3, "type": "ARRAY"}, {"minItems": 2, "maxItems": 3, "type": "array"}),
        (
            {"minimum": "1", "maximum": "2.5", "type": "NUMBER"},
            {"minimum": 1, "maximum": 2.5, "type": "number"},
        ),
        ({"minimum": "x", "maximum": "inf"}, {"minimum": "x", "maximum": "inf"}),
        ({"maximum": "1e300"}, {"maximum": 1e300}),
        ({"minLength": "-1"}, {"minLength": "-1"}),
        ({"example": 1}, {"examples": [1]}),
        (
            {"defs": {"a": {"type": "STRING"}}, "ref": "#/$defs/a"},
            {"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"},
        ),
        ({"type": "LIST"}, {"type": "LIST"}),
        ({"type": None}, {}),
    ],
)
def test_field_of_a_gemini_schema_is_translated(schema: dict[str, Any], translated: dict[str, Any]) -> None:
    """A field has its name in JSON Schema, and what nobody knows stays as it is."""
    assert from_gemini_schema(schema) == translated


def test_names_of_properties_and_values_stay_as_they_are() -> None:
    """A property may be called like a field, in either spelling."""
    schema = {
        "type": "OBJECT",
        "properties": {"min_items": {"type": "INTEGER"}, "type": {"type": "STRING", "enum": ["STRING"]}},
        "required": ["min_items"],
        "default": {"type": "STRING", "any_of": 1},
    }

    assert from_gemini_schema(schema) == {
        "type": "object",
        "properties": {"min_items": {"type": "integer"}, "type": {"type": "string", "enum": ["STRING"]}},
        "required": ["min_items"],
        "default": {"type": "STRING", "any_of": 1},
    }


def test_properties_have_the_order_that_the_client_names() -> None:
    """A model writes in the order of a schema. Names that are no property are left out."""
    schema = {"properties": {"a": {}, "b": {}, "c": {}}, "property_ordering": ["c", "x", 1, "a"]}

    translated = from_gemini_schema(schema)

    assert list(translated["properties"]) == ["c", "a", "b"]
    assert translated.keys() == {"properties"}


def test_json_schema_keeps_its_own_words() -> None:
    """Only types are translated in what is JSON Schema already, at every place of a schema."""
    inner = {"type": "STRING", "min_items": 1, "propertyOrdering": ["a"], "example": 2}
    schema = {
        "$defs": {"a": inner},
        "allOf": [inner],
        "additionalProperties": inner,
        "items": inner,
        "not": inner,
        "prefixItems": [inner],
        "properties": {"p": inner},
    }
    own = {**inner, "type": "string"}

    assert lower_types(schema) == {
        "$defs": {"a": own},
        "allOf": [own],
        "additionalProperties": own,
        "items": own,
        "not": own,
        "prefixItems": [own],
        "properties": {"p": own},
    }


def test_schema_may_be_as_deep_as_the_client_likes() -> None:
    """No depth ends in an error, and the client's own schema is not changed."""
    schema: dict[str, Any] = {"type": "STRING"}
    for _ in range(5_000):
        schema = {"type": "ARRAY", "items": schema}

    translated = from_gemini_schema(schema)

    for _ in range(5_000):
        assert translated["type"] == "array"
        translated = translated["items"]
    assert schema["type"] == "ARRAY"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([*SCALARS, "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "nullable",
                    "properties",
                    "items",
                    "anyOf",
                    "any_of",
                    "enum",
                    "propertyOrdering",
                    "minItems",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["type", "items", "anyOf", "properties", "enum", "nullable"]), VALUES))
def test_any_json_is_translated_without_a_change_of_the_clients(schema: dict[str, Any]) -> None:
    """Values of the wrong type are kept for the check of the provider's dialect. A second time changes nothing."""
    before = copy.deepcopy(schema)
    translated = lower_types(schema)

    assert schema == before
    assert lower_types(translated) == translated
