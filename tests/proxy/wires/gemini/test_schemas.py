"""A tool's JSON Schema as Gemini's: one row a rule, and no schema that the judge refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.errors import InvalidRequest
from proxy.wires.gemini.schemas import clean_parameters

STRING = {"type": "STRING"}
INTEGER = {"type": "INTEGER"}


def cleaned(schema: Any, **root: Any) -> Any:
    """Return what becomes of the schema as a property."""
    parameters = clean_parameters({"type": "object", "properties": {"p": schema}, **root}, "place")
    assert parameters is not None
    return parameters["properties"]["p"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"type": "string"}, STRING, id="type_in_capitals"),
        pytest.param({}, STRING, id="no_type"),
        pytest.param(True, STRING, id="boolean_schema"),
        pytest.param({"type": "enum"}, STRING, id="unknown_type"),
        pytest.param(
            {"properties": {"a": {}}}, {"type": "OBJECT", "properties": {"a": STRING}}, id="object_inferred"
        ),
        pytest.param({"type": "object"}, {"type": "OBJECT"}, id="empty_object_within"),
        pytest.param(
            {"items": {"type": "integer"}}, {"type": "ARRAY", "items": INTEGER}, id="array_inferred"
        ),
        pytest.param({"type": "array"}, {"type": "ARRAY", "items": STRING}, id="items_missing"),
        pytest.param(
            {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
            {"type": "ARRAY", "items": {"anyOf": [STRING, INTEGER]}},
            id="tuple",
        ),
        pytest.param({"type": ["string", "null"]}, {**STRING, "nullable": True}, id="type_or_null"),
        pytest.param(
            {"type": ["string", "integer"], "description": "d"},
            {"anyOf": [{**STRING, "description": "d"}, {**INTEGER, "description": "d"}]},
            id="several_types",
        ),
        pytest.param(
            {
                "anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}],
                "default": "a",
                "description": "d",
            },
            {**STRING, "maxLength": 3, "default": "a", "description": "d", "nullable": True},
            id="any_of_null",
        ),
        pytest.param(
            {
                "oneOf": [{"type": "string", "description": "s"}, {"type": "integer"}],
                "description": "d",
                "title": "t",
            },
            {"anyOf": [{**STRING, "description": "s"}, {**INTEGER, "description": "d"}]},
            id="any_of_stands_alone",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]},
            {"type": "OBJECT", "properties": {"a": STRING}},
            id="alternatives_of_required",
        ),
        pytest.param(
            {
                "allOf": [
                    {"properties": {"a": {}}, "required": ["a"]},
                    {"properties": {"b": {}}, "required": ["b"]},
                ]
            },
            {"type": "OBJECT", "properties": {"a": STRING, "b": STRING}, "required": ["a", "b"]},
            id="all_of",
        ),
        pytest.param({"enum": ["a", "b"]}, {**STRING, "enum": ["a", "b"]}, id="enum"),
        pytest.param(
            {"enum": ["a", "", None]}, {**STRING, "enum": ["a"], "nullable": True}, id="enum_empty_and_null"
        ),
        pytest.param({"const": "a"}, {**STRING, "enum": ["a"]}, id="const"),
        pytest.param(
            {"enum": [1, 2], "description": "d."},
            {**INTEGER, "description": "d. One of: 1, 2."},
            id="enum_of_numbers",
        ),
        pytest.param(
            {"const": True}, {"type": "BOOLEAN", "description": "One of: true."}, id="const_of_another_type"
        ),
        pytest.param({"type": "string", "format": "uri"}, STRING, id="format_dropped"),
        pytest.param({"type": "string", "format": ["uri"]}, STRING, id="format_of_another_type"),
        pytest.param(
            {"type": "string", "format": "date-time"}, {**STRING, "format": "date-time"}, id="format_kept"
        ),
        pytest.param(
            {"type": "integer", "format": "int64"}, {**INTEGER, "format": "int64"}, id="format_of_numbers"
        ),
        pytest.param(
            {
                "type": "integer",
                "minimum": 1,
                "exclusiveMaximum": 9,
                "multipleOf": 2,
                "x-other": 1,
                "$comment": "c",
                "title": 7,
                "minLength": "1",
            },
            {**INTEGER, "minimum": 1},
            id="unknown_keywords_and_types_dropped",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {}}, "required": ["a", "b", ["c"], "a"]},
            {"type": "OBJECT", "properties": {"a": STRING}, "required": ["a"]},
            id="required_pruned",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "string"}}, {"type": "OBJECT"}, id="map"
        ),
        pytest.param({"$ref": "#/nowhere"}, STRING, id="reference_to_nothing"),
    ],
)
def test_schema(schema: Any, expected: dict[str, Any]) -> None:
    """A keyword that Gemini knows stays, the others say as much as they can in those."""
    assert cleaned(schema) == expected


def test_references_are_followed() -> None:
    """As pydantic and zod write them, with what stands beside the reference."""
    defs = {"Unit": {"enum": ["c", "f"]}, "A/B": {"$ref": "#/$defs/Unit"}}

    assert cleaned({"$ref": "#/$defs/A~1B", "description": "d"}, **{"$defs": defs}) == {
        **STRING,
        "enum": ["c", "f"],
        "description": "d",
    }


@pytest.mark.parametrize("reference", ["#/$defs/Node", "#"])
def test_recursion_ends_in_an_object(reference: str) -> None:
    """The first level is told, the next is an object of any kind."""
    node = {"type": "object", "properties": {"value": {}, "next": {"$ref": "#/$defs/Node"}}}

    tree = cleaned({"$ref": reference}, **{"$defs": {"Node": node}})

    assert tree["type"] == "OBJECT"
    assert "'$ref'" not in repr(tree)


def test_references_that_double_are_refused() -> None:
    """A kilobyte that unfolds into billions does not unfold here."""
    twice = {f"d{n}": {"properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "ab"}} for n in range(30)}

    with pytest.raises(InvalidRequest) as caught:
        cleaned({"$ref": "#/$defs/d0"}, **{"$defs": twice})

    assert caught.value.param == "place"


@pytest.mark.parametrize("keyword", ["properties", "allOf"])
def test_long_chains_of_references_end(keyword: str) -> None:
    """Neither Python's stack nor Gemini's nesting limit is the limit."""

    def link(number: int) -> Any:
        reference = {"$ref": f"#/$defs/d{number + 1}"}
        return {keyword: {"p": reference} if keyword == "properties" else [reference]}

    assert cleaned({"$ref": "#/$defs/d0"}, **{"$defs": {f"d{n}": link(n) for n in range(3000)}})


def test_long_chains_of_deep_schemas_end() -> None:
    """Each link is nested as deeply as a request may be: what counts is the depth of the whole."""

    def link(number: int) -> Any:
        schema: Any = {"$ref": f"#/$defs/d{number + 1}"}
        for _ in range(90):
            schema = {"items": schema}
        return schema

    assert cleaned({"$ref": "#/$defs/d0"}, **{"$defs": {f"d{n}": link(n) for n in range(40)}})


@pytest.mark.parametrize(
    "schema", [None, {}, {"type": "object"}, {"type": "object", "properties": {}}, {"title": "t"}]
)
def test_nothing_to_declare(schema: Any) -> None:
    """A function without parameters has none, since an empty object is refused by some models."""
    assert clean_parameters(schema, "place") is None


_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(["", "a", "string", "null", "object", "#", "#/a"]),
)
_KEYWORDS = (
    "type properties items anyOf oneOf allOf enum const required format nullable $ref minimum maxItems a b "
    "prefixItems description title default additionalProperties propertyOrdering"
)
_names = st.sampled_from(_KEYWORDS.split())
_schemas = st.dictionaries(
    _names,
    st.recursive(
        _leaves,
        lambda deeper: st.lists(deeper, max_size=3) | st.dictionaries(_names, deeper, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


@given(_schemas, st.sampled_from(["gemini-2.5-pro", "gemini-3.6-flash"]))
def test_judge_takes_every_cleaned_schema(schema: dict[str, Any], model: str) -> None:
    """Whatever a client declares, and whether or not it is a schema at all."""
    try:
        parameters = clean_parameters({"type": "object", "properties": {"p": schema, "q": {}}}, "place")
    except InvalidRequest:
        return  # it refers to itself twice over, in every turn
    assert parameters is not None

    declaration = {"name": "f", "parameters": parameters}
    body = {
        "contents": [{"role": "user", "parts": [{"text": "a"}]}],
        "tools": [{"functionDeclarations": [declaration]}],
    }
    assert judge(model, body) is None
