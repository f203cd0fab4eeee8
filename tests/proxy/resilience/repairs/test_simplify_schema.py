"""Schemas in plain words: what is left, and what is told."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.resilience.repairs.simplify_schema import simplify_schema

PLAIN: dict[str, Any] = {
    "type": "object",
    "description": "about",
    "properties": {
        "a": {"type": "string", "enum": ["x", "y"]},
        "b": {"type": "array", "items": {"type": "integer", "description": "one"}},
    },
    "required": ["a"],
}


def of(schema: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return the schema of the one property."""
    simple = simplify_schema(
        {"type": "object", "properties": {"a": schema}}, **{"levels": None, "enums": True, **options}
    )
    found: dict[str, Any] = simple["properties"]["a"]
    return found


def test_plain_schema_stays() -> None:
    """There is nothing to simplify, so that nothing is sent again."""
    assert simplify_schema(PLAIN, levels=3, enums=True) == PLAIN


@pytest.mark.parametrize(
    ("given", "simple"),
    [
        ({"type": "string", "minLength": 2}, {"type": "string", "description": 'Rules: {"minLength": 2}'}),
        (
            {"type": "integer", "description": "n", "enum": [1, 2]},
            {"type": "integer", "description": "n One of: [1, 2]"},
        ),
        ({"enum": ["x", ""]}, {"type": "string", "enum": ["x"], "description": 'One of: ["x", ""]'}),
        ({"const": "x"}, {"type": "string", "enum": ["x"]}),
        ({"anyOf": [{"const": "x"}, {"const": "y"}]}, {"type": "string", "enum": ["x", "y"]}),
        (
            {"anyOf": [{"type": "null"}, {"type": "integer"}], "description": "n"},
            {"type": "integer", "description": "n May be null."},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            {"type": "string", "description": 'May also be: {"type": "array", "items": {"type": "string"}}'},
        ),
        ({"type": ["null", "number"]}, {"type": "number", "description": "May also be: null."}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        (
            {"allOf": [{"type": "integer"}, {"minimum": 1}]},
            {"type": "integer", "description": 'Rules: {"minimum": 1}'},
        ),
        (
            {"type": "object", "properties": {}, "additionalProperties": False},
            {"type": "object", "description": 'Rules: {"additionalProperties": false}'},
        ),
        (
            {"type": "object", "properties": {"b": {}}, "required": ["c"]},
            {
                "type": "object",
                "properties": {"b": {"type": "string"}},
                "required": [],
            },
        ),
        ({"$ref": "#/properties/a"}, {"type": "object"}),
    ],
)
def test_rest_is_told_in_words(given: dict[str, Any], simple: dict[str, Any]) -> None:
    """Nothing that a schema said is lost, but what says nothing about a value."""
    assert of(given) == simple


def test_reference_is_followed() -> None:
    """Definitions are put in their places."""
    schema = {
        "$defs": {"D": {"type": "integer"}},
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/D"}},
    }

    assert simplify_schema(schema, levels=None, enums=True)["properties"] == {"a": {"type": "integer"}}


def test_deep_objects_are_told() -> None:
    """Below the levels that are allowed an object is one of any kind, and its schema is in its description."""
    deep = of({"type": "object", "properties": {"b": {"type": "string"}}}, levels=1)

    assert deep == {
        "type": "object",
        "description": 'Its schema: {"properties": {"b": {"type": "string"}}}',
    }


def test_texts_are_told_where_there_are_too_many_states() -> None:
    """Values of texts are states as well."""
    assert of({"enum": ["x"]}, enums=False) == {"type": "string", "description": 'One of: ["x"]'}


def test_schema_without_end_stays() -> None:
    """References that double at every level are not followed for ever."""
    definitions = {
        f"D{n}": {"properties": {"a": {"$ref": f"#/$defs/D{n + 1}"}, "b": {"$ref": f"#/$defs/D{n + 1}"}}}
        for n in range(40)
    }
    schema = {"$defs": definitions, "$ref": "#/$defs/D0"}

    assert simplify_schema(schema, levels=None, enums=True) == schema


@pytest.mark.parametrize("length", [50, 3_000])
def test_long_chain_of_references_ends(length: int) -> None:
    """Neither in a loop nor in a deep recursion."""
    definitions = {f"D{n}": {"allOf": [{"$ref": f"#/$defs/D{n + 1}"}]} for n in range(length)}
    schema = {"$defs": definitions, "$ref": "#/$defs/D0"}

    assert simplify_schema(schema, levels=None, enums=True) in (schema, {"type": "string"})
