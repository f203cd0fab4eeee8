"""Tests of schemas with only the few keywords that every provider knows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Unrepairable
from sanitizers.schemas import PLAIN, PLAIN_FEW_STATES, PLAIN_FLAT, Dialect, clean_schema
from tests.sanitizers.schemas import drawn
from tests.sanitizers.schemas.cleaning import of

SIMPLE: dict[str, Any] = {
    "type": "object",
    "description": "about",
    "properties": {
        "a": {"type": "string", "enum": ["x", "y"]},
        "b": {"type": "array", "items": {"type": "integer", "description": "one"}},
    },
    "required": ["a"],
}


def test_a_plain_schema_comes_back_as_it_is() -> None:
    """A schema in the plain form is returned as the same object, which shows that nothing changed."""
    assert clean_schema(SIMPLE, PLAIN_FLAT).schema is SIMPLE


@pytest.mark.parametrize(
    ("schema", "simple"),
    [
        ({"type": "string", "minLength": 2}, {"type": "string", "description": 'Rules: {"minLength":2}'}),
        (
            {"type": "integer", "description": "n", "enum": [1, 2]},
            {"type": "integer", "description": "n One of: [1,2]"},
        ),
        ({"enum": ["x", ""]}, {"type": "string", "enum": ["x"], "description": 'May also be "".'}),
        ({"const": "x"}, {"type": "string", "enum": ["x"]}),
        ({"anyOf": [{"const": "x"}, {"const": "y"}]}, {"type": "string", "enum": ["x", "y"]}),
        (
            {"anyOf": [{"type": "null"}, {"type": "integer"}], "description": "n"},
            {"type": "integer", "description": "n May be null."},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            {"type": "string", "description": 'May also be: {"type":"array","items":{"type":"string"}}'},
        ),
        ({"type": ["null", "number"]}, {"type": "number", "description": "May be null."}),
        ({"type": "null"}, {"type": "string", "description": "Always null."}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        (
            {"allOf": [{"type": "integer"}, {"minimum": 1}]},
            {"type": "integer", "description": 'Rules: {"minimum":1}'},
        ),
        (
            {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
            {"type": "object", "description": 'Rules: {"additionalProperties":{"type":"string"}}'},
        ),
        (
            {"type": "object", "properties": {"b": {}}, "required": ["c"]},
            {
                "type": "object",
                "properties": {"b": {"type": "string"}},
                "description": 'Required as well: ["c"]',
            },
        ),
        ({"$ref": "#/properties/p"}, {"type": "object", "description": "Here again: p."}),
    ],
)
def test_other_keywords_are_described(schema: dict[str, Any], simple: dict[str, Any]) -> None:
    """Only annotations without meaning are lost."""
    assert of(schema, PLAIN) == simple


def test_objects_below_the_levels_are_described() -> None:
    """Below the allowed levels an object has no properties, and its description holds its schema."""
    inner = {"type": "object", "properties": {"e": {"type": "string"}}, "required": ["e"]}
    for name in "dcb":
        inner = {"type": "object", "properties": {name: inner}}

    shown = of(inner, PLAIN_FLAT)["properties"]["b"]["properties"]["c"]
    done = clean_schema({"type": "object", "properties": {"a": inner}}, PLAIN_FLAT)

    assert shown["type"] == "object"
    told = '{"properties":{"d":{"type":"object","properties":{"e":{"type":"string"}},"required":["e"]}}}'
    assert shown["description"] == f"Its schema: {told}"
    assert [(note.reason, note.kept) for note in done.notes] == [("depth_flattened", False)]
    assert of(inner, PLAIN) == inner


def test_enumerations_are_described_where_the_provider_has_few_states() -> None:
    """Each listed text takes one of the provider's states."""
    assert of({"enum": ["x"]}, PLAIN_FEW_STATES) == {"type": "string", "description": 'One of: ["x"]'}


@given(st.sampled_from([PLAIN, PLAIN_FLAT, PLAIN_FEW_STATES]), st.one_of(drawn.roots, drawn.junk))
def test_every_schema_is_written_in_six_keywords(dialect: Dialect, schema: dict[str, Any]) -> None:
    """The output has no other keyword, at any level."""
    try:
        simple = clean_schema(schema, dialect).schema
    except Unrepairable:
        return

    nodes = [simple]
    while nodes:
        node = nodes.pop()
        assert node.keys() <= {"type", "description", "enum", "items", "properties", "required"}
        assert node["type"] in ("array", "boolean", "integer", "number", "object", "string")
        nodes += [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
