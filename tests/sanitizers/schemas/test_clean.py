"""One row for each thing that a schema may say, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import sanitizers.schemas
from sanitizers import Unrepairable
from sanitizers.schemas import (
    ANTHROPIC,
    GEMINI,
    GEMINI_1,
    GEMINI_JSON,
    GEMINI_ON_LITELLM,
    OPENAI,
    PLAIN,
    REASONS,
    Dialect,
    Note,
    clean_schema,
)

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
NOTHING: Mapping[str, Any] = {}
ANYTHING = {"anyOf": [TEXT, {"type": "number"}, {"type": "boolean"}, {"type": "object"}]}


def of(schema: Any, dialect: Dialect = GEMINI, beside: Mapping[str, Any] = NOTHING) -> Any:
    """Return what becomes of *schema* as a property; *beside* stands at the root."""
    done = clean_schema({"type": "object", "properties": {"p": schema}, **beside}, dialect)
    return done.schema["properties"]["p"]


def reasons(schema: Any, dialect: Dialect = GEMINI, beside: Mapping[str, Any] = NOTHING) -> dict[str, bool]:
    """Return why *schema* is rewritten as a property, and whether that keeps what it says."""
    notes = clean_schema({"type": "object", "properties": {"p": schema}, **beside}, dialect).notes
    return {
        reason: all(note.kept for note in notes if note.reason == reason)
        for reason in (n.reason for n in notes)
    }


@pytest.mark.parametrize(
    ("schema", "cleaned", "why"),
    [
        pytest.param(TEXT, TEXT, {}, id="clean"),
        pytest.param({}, ANYTHING, {"any_value": False}, id="anything"),
        pytest.param(True, ANYTHING, {"boolean_schema": True, "any_value": False}, id="true"),
        pytest.param({"type": "enum"}, ANYTHING, {"type_inferred": False, "any_value": False}, id="no_type"),
        pytest.param({"type": "STRING"}, TEXT, {"type_spelled": True}, id="capitals"),
        pytest.param({"type": "dict"}, {"type": "object"}, {"type_spelled": True}, id="python_type"),
        pytest.param(
            {"properties": {"a": TEXT}},
            {"type": "object", "properties": {"a": TEXT}},
            {"type_inferred": False},
            id="object_inferred",
        ),
        pytest.param(
            {"items": WHOLE}, {"type": "array", "items": WHOLE}, {"type_inferred": False}, id="array_inferred"
        ),
        pytest.param(
            {"minimum": 1}, {"type": "number", "minimum": 1}, {"type_inferred": False}, id="number_inferred"
        ),
        pytest.param(
            {"format": "date-time"},
            {**TEXT, "format": "date-time"},
            {"type_inferred": False},
            id="text_inferred",
        ),
        pytest.param(
            {"type": "array"},
            {"type": "array", "items": ANYTHING},
            {"items_added": False, "any_value": False},
            id="items_missing",
        ),
        pytest.param(
            {"type": "array", "items": False},
            {"type": "array", "items": TEXT, "maxItems": 0},
            {"boolean_schema": True},
            id="no_items",
        ),
        pytest.param(
            {"type": "array", "items": [TEXT, WHOLE], "additionalItems": False},
            {
                "type": "array",
                "maxItems": 2,
                "items": {"anyOf": [TEXT, WHOLE]},
                "description": 'In this order: [{"type":"string"},{"type":"integer"}]',
            },
            {"tuple_items": False},
            id="tuple",
        ),
        pytest.param(
            {"type": "array", "prefixItems": [WHOLE, WHOLE], "minItems": 2, "maxItems": 2},
            {"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2},
            {"tuple_items": True},
            id="pair",
        ),
        pytest.param(
            {"type": ["string", "null"]}, {**TEXT, "nullable": True}, {"type_array": True}, id="or_null"
        ),
        pytest.param({**TEXT, "nullable": True}, {**TEXT, "nullable": True}, {}, id="nullable"),
        pytest.param(
            {"type": ["string", "integer"], "description": "d", "minimum": 1},
            {"anyOf": [{**TEXT, "description": "d"}, {**WHOLE, "minimum": 1, "description": "d"}]},
            {"type_array": True, "any_of_alone": True},
            id="several_types",
        ),
        pytest.param(
            {"anyOf": [{**TEXT, "maxLength": 3}, {"type": "null"}], "default": "a", "description": "d"},
            {**TEXT, "maxLength": 3, "default": "a", "description": "d", "nullable": True},
            {"any_of_distributed": True, "nullable": True},
            id="any_of_null",
        ),
        pytest.param(
            {"oneOf": [{**TEXT, "description": "s"}, WHOLE], "description": "d", "default": 1},
            {
                "anyOf": [
                    {**TEXT, "description": "d Default: 1 s"},
                    {**WHOLE, "description": "d Default: 1"},
                ]
            },
            {"one_of_as_any_of": True, "any_of_alone": True},
            id="stands_alone",
        ),
        pytest.param(
            {"oneOf": [{"type": "number", "minimum": 1}, {"type": "number", "maximum": 2}]},
            {"anyOf": [{"type": "number", "minimum": 1}, {"type": "number", "maximum": 2}]},
            {"one_of_as_any_of": False},
            id="one_of_that_overlaps",
        ),
        pytest.param(
            {"oneOf": [{"type": "null"}, {"type": ["string", "null"]}]},
            {**TEXT, "nullable": True},
            {"type_array": True, "one_of_as_any_of": False, "any_of_distributed": True, "nullable": True},
            id="one_of_with_null_in_two",
        ),
        pytest.param(
            {"oneOf": [{"enum": ["a"]}, {"enum": [1]}, {"type": "null"}]},
            {
                "anyOf": [
                    {**TEXT, "enum": ["a"], "nullable": True},
                    {**WHOLE, "minimum": 1, "maximum": 1, "nullable": True},
                ]
            },
            {
                "one_of_as_any_of": True,
                "any_of_as_enum": True,
                "nullable": True,
                "enum_typed": True,
                "type_array": True,
                "enum_as_range": True,
            },
            id="one_of_untyped_values",
        ),
        pytest.param(
            {"anyOf": [{"anyOf": [TEXT, WHOLE]}, TEXT]},
            {"anyOf": [TEXT, WHOLE]},
            {"any_of_distributed": True, "duplicate_branch": True},
            id="choice_in_choice",
        ),
        pytest.param(
            {"type": ["string", "integer"], "anyOf": [{"minLength": 1}, {"minimum": 1}]},
            {
                "anyOf": [
                    {**TEXT, "minLength": 1},
                    WHOLE,
                    TEXT,
                    {**WHOLE, "minimum": 1},
                ]
            },
            {"type_array": True, "any_of_distributed": True},
            id="distributed",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"a": TEXT, "b": TEXT},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
            {
                "type": "object",
                "properties": {"a": TEXT, "b": TEXT},
                "description": 'Exactly one of: [{"required":["a"]},{"required":["b"]}]',
            },
            {"one_of_as_any_of": False, "choice_in_words": False},
            id="alternatives_of_required",
        ),
        pytest.param(
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"minLength": 1}}, "required": ["a"]},
                    {"properties": {"a": TEXT, "b": WHOLE}, "required": ["b"]},
                ],
                "description": "d",
            },
            {
                "type": "object",
                "properties": {"a": {**TEXT, "minLength": 1}, "b": WHOLE},
                "required": ["a", "b"],
                "description": "d",
            },
            {"all_of_merged": True},
            id="all_of",
        ),
        pytest.param(
            {"allOf": [{**TEXT, "pattern": "a"}, {"pattern": "b"}]},
            {**TEXT, "pattern": "a", "description": 'Also: {"pattern":"b"}'},
            {"all_of_merged": True, "keyword_in_words": False},
            id="all_of_that_cannot_be_merged",
        ),
        pytest.param({"enum": ["a", "b"]}, {**TEXT, "enum": ["a", "b"]}, {"enum_typed": True}, id="enum"),
        pytest.param(
            {**TEXT, "enum": ["a", "", None]},
            {**TEXT, "enum": ["a"], "description": 'May also be "".'},
            {"empty_enum_value": False},
            id="empty_value",
        ),
        pytest.param(
            {"enum": ["a", None]},
            {**TEXT, "enum": ["a"], "nullable": True},
            {"enum_typed": True},
            id="or_null_value",
        ),
        pytest.param(
            {"const": "a"}, {**TEXT, "enum": ["a"]}, {"const_as_enum": True, "enum_typed": True}, id="const"
        ),
        pytest.param(
            {"const": None}, {"type": "null"}, {"const_as_enum": True, "enum_typed": True}, id="const_null"
        ),
        pytest.param(
            {**WHOLE, "enum": [3, 1, 2]},
            {**WHOLE, "minimum": 1, "maximum": 3},
            {"enum_as_range": True},
            id="range",
        ),
        pytest.param(
            {**WHOLE, "enum": [1, 5], "description": "d."},
            {**WHOLE, "minimum": 1, "maximum": 5, "description": "d. One of: [1,5]"},
            {"enum_in_words": False},
            id="gaps",
        ),
        pytest.param(
            {"const": True},
            {"type": "boolean", "description": "One of: [true]"},
            {"const_as_enum": True, "enum_typed": True, "enum_in_words": False},
            id="const_boolean",
        ),
        pytest.param(
            {"enum": ["a", 1]},
            {"anyOf": [{**TEXT, "enum": ["a"]}, {**WHOLE, "minimum": 1, "maximum": 1}]},
            {"enum_typed": True, "type_array": True, "enum_as_range": True},
            id="mixed_values",
        ),
        pytest.param(
            {"enum": ["a", 1, 5], "description": "d"},
            {
                "anyOf": [
                    {**TEXT, "enum": ["a"], "description": "d"},
                    {**WHOLE, "minimum": 1, "maximum": 5, "description": "d One of: [1,5]"},
                ]
            },
            {"enum_typed": True, "type_array": True, "enum_in_words": False, "any_of_alone": True},
            id="mixed_values_that_are_told",
        ),
        pytest.param(
            {"enum": [True, False]},
            {"type": "boolean"},
            {"enum_typed": True, "enum_as_range": True},
            id="both_booleans",
        ),
        pytest.param(
            {"enum": ["a", "b"], "anyOf": [TEXT, {"description": "d"}]},
            {**TEXT, "enum": ["a", "b"], "description": '"a", "b": d.'},
            {
                "enum_typed": True,
                "any_of_distributed": True,
                "any_of_as_enum": True,
            },
            id="values_beside_a_choice",
        ),
        pytest.param(
            {"enum": ["a"], "anyOf": [{"minLength": 5}, {"maxLength": 0}]},
            {"anyOf": [{**TEXT, "enum": ["a"], "minLength": 5}, {**TEXT, "enum": ["a"], "maxLength": 0}]},
            {"enum_typed": True, "any_of_distributed": True},
            id="values_beside_a_choice_of_more",
        ),
        pytest.param({**TEXT, "enum": []}, TEXT, {"keyword_dropped": False}, id="no_values"),
        pytest.param({"anyOf": [], **TEXT}, TEXT, {"keyword_dropped": False}, id="no_branches"),
        pytest.param(
            {"type": "array", "items": TEXT, "additionalItems": False},
            {"type": "array", "items": TEXT},
            {"keyword_dropped": True},
            id="no_further_items",
        ),
        pytest.param(
            {"oneOf": [{"const": "a", "description": "first"}, {"const": "b"}]},
            {**TEXT, "enum": ["a", "b"], "description": '"a": first.'},
            {"const_as_enum": True, "one_of_as_any_of": True, "any_of_as_enum": True, "enum_typed": True},
            id="choice_of_constants",
        ),
        pytest.param(
            {**TEXT, "format": "uri"},
            {**TEXT, "description": "Format: uri."},
            {"format_dropped": False},
            id="format",
        ),
        pytest.param(
            {**TEXT, "format": "enum"}, TEXT, {"format_dropped": True}, id="format_enum_without_values"
        ),
        pytest.param({**WHOLE, "format": "int64"}, {**WHOLE, "format": "int64"}, {}, id="format_of_numbers"),
        pytest.param(
            {**WHOLE, "exclusiveMinimum": 1, "exclusiveMaximum": 4.5},
            {**WHOLE, "minimum": 2, "maximum": 4},
            {"exclusive_bound": True},
            id="exclusive_bounds_of_integers",
        ),
        pytest.param(
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "number", "minimum": 0, "description": 'Rules: {"exclusiveMinimum":0}'},
            {"keyword_in_words": False},
            id="exclusive_bound_of_numbers",
        ),
        pytest.param(
            {**WHOLE, "minimum": 1, "exclusiveMinimum": True},
            {**WHOLE, "minimum": 2},
            {"exclusive_bound": True},
            id="exclusive_bound_of_draft_4",
        ),
        pytest.param(
            {
                **TEXT,
                "minLength": 1,
                "contentEncoding": "base64",
                "not": {"const": "x"},
                "if": {"minLength": 3},
                "then": {"pattern": "^a"},
                "x-other": 1,
                "$comment": "c",
                "readOnly": True,
            },
            {
                **TEXT,
                "minLength": 1,
                "description": 'Rules: {"not":{"const":"x"},"if":{"minLength":3},"then":{"pattern":"^a"}} '
                'Notes: {"contentEncoding":"base64"}',
            },
            {"keyword_in_words": False, "annotation_dropped": True},
            id="told",
        ),
        pytest.param(
            {
                "type": "array",
                "items": TEXT,
                "uniqueItems": True,
                "contains": {"const": "x"},
                "examples": [["x"]],
            },
            {
                "type": "array",
                "items": TEXT,
                "description": 'Rules: {"uniqueItems":true,"contains":{"const":"x"}} Notes: {"examples":[["x"]]}',
            },
            {"keyword_in_words": False},
            id="told_of_arrays",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"a": TEXT},
                "dependentRequired": {"a": ["b"]},
                "patternProperties": {"^x": TEXT},
            },
            {
                "type": "object",
                "properties": {"a": TEXT},
                "description": 'Rules: {"dependentRequired":{"a":["b"]},"patternProperties":{"^x":{"type":"string"}}}',
            },
            {"keyword_in_words": False},
            id="told_of_objects",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": WHOLE},
            {"type": "object", "description": 'Rules: {"additionalProperties":{"type":"integer"}}'},
            {"keyword_in_words": False},
            id="map",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
            {"type": "object", "properties": {"a": TEXT}},
            {"closed_object": False},
            id="closed",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": TEXT, "b": False}, "required": ["a", "c", "a"]},
            {
                "type": "object",
                "properties": {"a": TEXT},
                "required": ["a"],
                "description": 'Not allowed: ["b"] Required as well: ["c"]',
            },
            {"boolean_schema": False, "required_pruned": False},
            id="required",
        ),
        pytest.param(
            {"type": "object", "properties": {}}, {"type": "object"}, {"empty_object": True}, id="empty"
        ),
        pytest.param({**TEXT, "items": TEXT}, TEXT, {"keyword_dropped": True}, id="keyword_of_another_type"),
        pytest.param({**TEXT, "minLength": "1"}, TEXT, {"keyword_dropped": False}, id="malformed"),
        pytest.param(
            {"$ref": "other.json#/A", "type": "string"},
            {**TEXT, "description": "See other.json#/A."},
            {"ref_unresolved": False},
            id="remote_reference",
        ),
        pytest.param(
            {"$ref": "#", "description": "d"},
            {"type": "object", "description": "d Here again: the whole."},
            {"ref_cut": False},
            id="reference_to_the_root",
        ),
    ],
)
def test_gemini(schema: Any, cleaned: Any, why: dict[str, bool]) -> None:
    """A keyword that the proto knows stays; the others say as much as they can in those, or in words."""
    assert of(schema) == cleaned
    assert reasons(schema) == why


@pytest.mark.parametrize(
    ("schema", "cleaned", "why"),
    [
        pytest.param({}, {}, {}, id="anything"),
        pytest.param({"type": ["string", "null"]}, {"type": ["string", "null"]}, {}, id="several_types"),
        pytest.param(
            {**TEXT, "nullable": True}, {"type": ["string", "null"]}, {"nullable": True}, id="nullable"
        ),
        pytest.param({**TEXT, "format": "uri"}, {**TEXT, "format": "uri"}, {}, id="format"),
        pytest.param({**WHOLE, "enum": [1, 5]}, {**WHOLE, "enum": [1, 5]}, {}, id="numbers"),
        pytest.param(
            {"enum": ["a", None]},
            {"anyOf": [{**TEXT, "enum": ["a"]}, {"type": "null"}]},
            {"enum_typed": True},
            id="or_null_value",
        ),
        pytest.param(
            {"type": "array", "items": [TEXT], "additionalItems": False},
            {"type": "array", "prefixItems": [TEXT], "maxItems": 1},
            {"tuple_items": True},
            id="tuple",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"const": 1}},
            {"type": "object", "additionalProperties": {**WHOLE, "enum": [1]}},
            {"const_as_enum": True, "enum_typed": True},
            id="map",
        ),
        pytest.param(
            {"oneOf": [TEXT, {"allOf": [WHOLE]}], "description": "d"},
            {"oneOf": [TEXT, WHOLE], "description": "d"},
            {"all_of_merged": True},
            id="choice",
        ),
        pytest.param(
            {"type": "array", "items": []}, {"type": "array"}, {"keyword_dropped": True}, id="no_places"
        ),
        pytest.param(
            {**TEXT, "maxLength": 2, "default": "a"},
            {**TEXT, "description": 'Rules: {"maxLength":2} Default: "a"'},
            {"keyword_in_words": False},
            id="told",
        ),
        pytest.param(
            {"anyOf": [False]}, {"anyOf": [{"type": "null"}]}, {"boolean_schema": True}, id="nothing"
        ),
    ],
)
def test_gemini_json(schema: Any, cleaned: Any, why: dict[str, bool]) -> None:
    """JSON Schema as ``parametersJsonSchema`` has it."""
    assert of(schema, GEMINI_JSON) == cleaned
    assert reasons(schema, GEMINI_JSON) == why


NODE = {"type": "object", "properties": {"v": TEXT, "next": {"$ref": "#/definitions/Node"}}}


def test_recursion_stays_where_it_can_be_written() -> None:
    """Google unrolls it, "within non-required properties"."""
    done = clean_schema(
        {
            "type": "object",
            "properties": {"p": {"$ref": "#/definitions/Node"}},
            "definitions": {"Node": NODE},
        },
        GEMINI_JSON,
    )

    reference = {"$ref": "#/$defs/Node"}
    assert done.schema["properties"] == {"p": reference}
    assert done.schema["$defs"] == {"Node": {"type": "object", "properties": {"v": TEXT, "next": reference}}}
    assert done.losses == 0
    assert "definitions" not in done.schema


@pytest.mark.parametrize(
    ("node", "dialect"),
    [(NODE, GEMINI), ({**NODE, "required": ["next"]}, GEMINI_JSON)],
    ids=["gemini", "required"],
)
def test_recursion_is_cut(node: Any, dialect: Dialect) -> None:
    """The first level is told, the next is an object of any kind."""
    cut = of({"$ref": "#/definitions/Node"}, dialect, {"definitions": {"Node": node}})

    assert cut["properties"]["v"] == TEXT
    assert cut["properties"]["next"] == {"type": "object", "description": "Here again: Node."}


@pytest.mark.parametrize(
    ("reference", "root"),
    [
        ("#/$defs/A~1B", {"$defs": {"A/B": TEXT}}),
        ("#/$defs/m~0n", {"$defs": {"m~n": TEXT}}),
        ("#/$defs/List%3CA%3E", {"$defs": {"List<A>": TEXT}}),
        ("#/$defs/D/anyOf/1", {"$defs": {"D": {"anyOf": [WHOLE, TEXT]}}}),
        ("#/$defs/two", {"$defs": {"two": {"$ref": "#/$defs/one"}, "one": TEXT}}),
        ("#name", {"$defs": {"D": {"$anchor": "name", **TEXT}}}),
        ("T0", {"$defs": {"D": {"$id": "T0", **TEXT}}}),
    ],
)
def test_references_are_followed(reference: str, root: dict[str, Any]) -> None:
    """As pydantic, zod, TypeBox and others write them, with what stands beside the reference."""
    assert of({"$ref": reference, "description": "d"}, beside=root) == {**TEXT, "description": "d"}


@pytest.mark.parametrize("reference", ["#/$defs/D/anyOf/9", "#/$defs/D/anyOf/x", "#nowhere", ""])
def test_references_to_nothing(reference: str) -> None:
    """They are told."""
    beside = {"$defs": {"D": {"anyOf": [TEXT]}, "E": 1}}

    assert of({"$ref": reference, **TEXT}, beside=beside) == {**TEXT, "description": f"See {reference}."}
    assert reasons({"$ref": reference, **TEXT}, beside=beside)["ref_unresolved"] is False


def test_words_have_no_references() -> None:
    """What they refer to stands in their place, since there are no definitions beside a description."""
    told = of({"not": {"$ref": "#/$defs/D"}, **TEXT}, beside={"$defs": {"D": {"const": "x"}}})

    assert told["description"] == 'Rules: {"not":{"const":"x"}}'


def test_words_end() -> None:
    """A description stays one."""
    told = of({**TEXT, "description": "d", "not": {"enum": [f"value {n}" for n in range(2_000)]}})

    assert len(told["description"]) <= 1_502
    assert told["description"].startswith('d Rules: {"not":{"enum":["value 0"')
    assert told["description"].endswith("…")


def test_a_long_description_is_not_repeated_in_every_branch() -> None:
    """Tokens are paid for."""
    branches = of({"anyOf": [TEXT, {**WHOLE, "description": "n"}], "description": "d" * 300})["anyOf"]

    assert [branch["description"] for branch in branches] == ["d" * 300, "n"]


@pytest.mark.parametrize(
    ("root", "cleaned"),
    [
        ({"type": "string"}, {"type": "object"}),
        ({"properties": {"a": TEXT}}, {"type": "object", "properties": {"a": TEXT}}),
        (
            {"type": ["object", "null"], "properties": {"a": TEXT}},
            {"type": "object", "properties": {"a": TEXT}},
        ),
        (
            {"$ref": "#/$defs/D", "$defs": {"D": {"properties": {"a": TEXT}}}},
            {"type": "object", "properties": {"a": TEXT}},
        ),
        (
            {"anyOf": [{"type": "object", "properties": {"a": TEXT}}, {"type": "null"}]},
            {"type": "object", "properties": {"a": TEXT}},
        ),
        (
            {
                "oneOf": [
                    {"properties": {"k": {"const": "x"}, "a": TEXT}, "required": ["k", "a"]},
                    {"properties": {"k": {"const": "y"}}, "required": ["k"]},
                ]
            },
            {
                "type": "object",
                "properties": {"k": {**TEXT, "enum": ["x", "y"]}, "a": TEXT},
                "required": ["k"],
                "description": 'Exactly one of: [{"properties":{"k":{"const":"x"},"a":{"type":"string"}},'
                '"required":["k","a"]},{"properties":{"k":{"const":"y"}},"required":["k"]}]',
            },
        ),
        ({"enum": [{"a": 1}]}, {"type": "object", "description": 'One of: [{"a":1}]'}),
    ],
)
def test_the_root_is_an_object(root: dict[str, Any], cleaned: dict[str, Any]) -> None:
    """Parameters are an object, and no choice."""
    assert clean_schema(root, GEMINI).schema == cleaned


@pytest.mark.parametrize(
    ("root", "openai", "anthropic"),
    [
        (
            {"type": "object", "properties": {"a": {"const": 1}}},
            {"type": "object", "properties": {"a": {"const": 1}}},
            {"type": "object", "properties": {"a": {"const": 1}}},
        ),
        ({}, {"type": "object", "properties": {}}, {"type": "object"}),
        ({"type": "object"}, {"type": "object", "properties": {}}, {"type": "object"}),
        ({"type": None, "required": None}, {"type": "object", "properties": {}}, {"type": "object"}),
        (
            {"properties": {"a": {"$ref": "#/$defs/D"}}, "$defs": {"D": TEXT}},
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/D"}}, "$defs": {"D": TEXT}},
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/D"}}, "$defs": {"D": TEXT}},
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "not": {"required": ["b"]}},
            {"type": "object", "properties": {"a": TEXT}, "description": 'Rules: {"not":{"required":["b"]}}'},
            {"type": "object", "properties": {"a": TEXT}, "not": {"required": ["b"]}},
        ),
        (
            {"type": "object", "allOf": [{"properties": {"a": TEXT}}, {"required": ["a"]}]},
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
        ),
        (
            {
                "type": "object",
                "properties": {"a": TEXT, "b": TEXT},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
            {
                "type": "object",
                "properties": {"a": TEXT, "b": TEXT},
                "description": 'At least one of: [{"required":["a"]},{"required":["b"]}]',
            },
            {
                "type": "object",
                "properties": {"a": TEXT, "b": TEXT},
                "description": 'At least one of: [{"required":["a"]},{"required":["b"]}]',
            },
        ),
    ],
)
def test_where_the_root_alone_counts(
    root: dict[str, Any], openai: dict[str, Any], anthropic: dict[str, Any]
) -> None:
    """What lies within is the client's own."""
    assert clean_schema(root, OPENAI).schema == openai
    assert clean_schema(root, ANTHROPIC).schema == anthropic


def test_gemini_1_has_no_empty_objects() -> None:
    """There a text holds the object, and parameters without properties are not told."""
    assert of({"type": "object"}, GEMINI_1) == {**TEXT, "description": "A JSON object, written as text."}
    assert clean_schema({"type": "object", "description": "d"}, GEMINI_1).schema == {"type": "object"}


def test_what_litellm_spoils_is_told() -> None:
    """It drops formats that it does not know, and reads values as schemas."""
    assert of({**WHOLE, "format": "int64"}, GEMINI_ON_LITELLM) == {**WHOLE, "description": "Format: int64."}
    cleaned = of({"type": "object", "default": {"$ref": 1}}, GEMINI_ON_LITELLM)
    assert cleaned == {"type": "object", "description": 'Default: {"$ref":1}'}


@pytest.mark.parametrize(
    ("root", "dialect", "why"),
    [
        ({"type": "object", "properties": [1]}, GEMINI, {"keyword_dropped": True}),
        ({"type": "object", "properties": {"a": TEXT}, "propertyOrdering": ["a"]}, GEMINI, {}),
        (
            {"type": "object", "properties": {"a": TEXT}, "propertyOrdering": ["b"]},
            GEMINI,
            {"annotation_dropped": True},
        ),
        ({"type": "object", "additionalProperties": True}, GEMINI, {"keyword_dropped": True}),
        (
            {"type": "object", "properties": {"a": {**TEXT, "nullable": False}}},
            GEMINI,
            {"annotation_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string", "const": "x", "nullable": True}}},
            GEMINI,
            {"const_as_enum": True},
        ),
        ({"type": "object", "properties": {"a": {**TEXT, "nullable": True}}}, PLAIN, {"nullable": False}),
        (
            {"type": "object", "properties": {"a": {"anyOf": [TEXT], "nullable": True}}},
            PLAIN,
            {"nullable": False, "any_of_distributed": True},
        ),
        ({"type": "object", "properties": {"a": {"type": "null"}}}, PLAIN, {"nullable": False}),
        (
            {"type": "object", "properties": {"a": {"type": ["string", "integer"]}}},
            PLAIN,
            {"type_array": True, "one_type_left": False},
        ),
        (
            {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}]}}},
            GEMINI,
            {"any_of_distributed": True},
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"anyOf": [{"const": "a"}, {"const": "b"}], "type": "string"}},
            },
            GEMINI,
            {"const_as_enum": True, "any_of_as_enum": True},
        ),
        (
            {"type": "object", "properties": {"a": {"anyOf": [False, TEXT, {"type": "integer"}]}}},
            GEMINI,
            {"boolean_schema": True},
        ),
        ({"type": "object", "not": {}, "properties": {}}, OPENAI, {"keyword_in_words": False}),
        ({"type": "object", "properties": {}, "required": None}, OPENAI, {"keyword_dropped": True}),
        (
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": "1"}}},
            GEMINI,
            {"keyword_dropped": False},
        ),
        (
            {"type": "object", "properties": {"a": {**TEXT, "format": 1}}},
            GEMINI,
            {"keyword_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {**TEXT, "default": "x"}}},
            GEMINI_JSON,
            {"keyword_in_words": True},
        ),
        (
            {"type": "object", "properties": {"a": {**TEXT, "$comment": "x"}}},
            GEMINI,
            {"annotation_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {**TEXT, "description": ""}}},
            GEMINI,
            {"annotation_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {**TEXT, "description": 5}}},
            GEMINI,
            {"annotation_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": TEXT, "uniqueItems": False}}},
            GEMINI,
            {"keyword_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {**TEXT, "items": TEXT}}},
            GEMINI,
            {"keyword_dropped": True},
        ),
        ({"type": "object"}, OPENAI, {"properties_added": True}),
        ({"type": "object"}, PLAIN, {"properties_added": True}),
        ({"type": "object", "description": "d"}, GEMINI_1, {"empty_object": False}),
        ({"type": "object", "properties": {"a": {"type": "object"}}}, GEMINI_1, {"empty_object": False}),
        ({"type": "object", "$defs": {"D": TEXT}}, GEMINI_JSON, {"annotation_dropped": True}),
        ({"type": "object", "$defs": {"D": TEXT}}, GEMINI, {"annotation_dropped": True}),
        ({"allOf": [False]}, GEMINI, {"all_of_merged": True, "root_object": False}),
        ({"type": "object", "enum": [{}]}, GEMINI, {"enum_in_words": False}),
        ({"type": "string"}, GEMINI, {"root_object": False}),
        ({"properties": {"a": TEXT}}, GEMINI, {"root_object": True}),
        (
            {"type": "object", "properties": {"a": {"type": "null", "maxLength": 1}}},
            GEMINI,
            {"keyword_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {"type": "null", "not": {}}}},
            GEMINI,
            {"keyword_dropped": False},
        ),
        ({"type": "object", "properties": {"a": {**TEXT, "$ref": 1}}}, GEMINI, {"keyword_dropped": True}),
        (
            {"type": "object", "properties": {"a": {"type": "array", "prefixItems": []}}},
            GEMINI_JSON,
            {"keyword_dropped": True},
        ),
        (
            {"type": "object", "properties": {"a": {"$ref": "#", "description": "d"}}},
            GEMINI_JSON,
            {"annotation_dropped": True},
        ),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, GEMINI_JSON, {"ref_inlined": True}),
        (
            {"$ref": "#/$defs/D", "type": "object", "$defs": {"D": {}}},
            GEMINI,
            {"ref_inlined": True, "annotation_dropped": True},
        ),
        (
            {
                "type": "object",
                "properties": {
                    "a": {"anyOf": [{"anyOf": [{"const": "a"}, {"const": "b"}]}, TEXT], "maxLength": 2}
                },
            },
            GEMINI,
            {"const_as_enum": True, "any_of_as_enum": True, "enum_typed": True, "any_of_distributed": True},
        ),
    ],
)
def test_what_is_told_of_it(root: dict[str, Any], dialect: Dialect, why: dict[str, bool]) -> None:
    """Each rewrite has its reason, and says whether it keeps what was meant."""
    notes = clean_schema(root, dialect).notes

    assert {note.reason: all(n.kept for n in notes if n.reason == note.reason) for note in notes} == why


def test_notes_say_where() -> None:
    """As a JSON pointer into the cleaned schema."""
    schema = {"type": "object", "properties": {"a/b": {"type": "array", "items": {"const": "x"}}}}

    assert clean_schema(schema, GEMINI).notes == (
        Note("const_as_enum", "/properties/a~1b/items/const", kept=True),
        Note("enum_typed", "/properties/a~1b/items/enum", kept=True),
    )


def test_deep_schemas_are_told() -> None:
    """Gemini does not say how deep is too deep."""
    schema: Any = TEXT
    for _ in range(50):
        schema = {"type": "object", "properties": {"a": schema}}
    done = clean_schema(schema, GEMINI)

    assert [(note.reason, note.kept) for note in done.notes] == [("depth_flattened", False)]
    assert "Its schema:" in json.dumps(done.schema)
    assert clean_schema(done.schema, GEMINI).schema is done.schema


def test_members_within_members_end() -> None:
    """As deep as it may be, and not deeper."""
    schema: Any = TEXT
    for _ in range(60):
        schema = {"allOf": [schema]}

    assert reasons(schema)["depth_flattened"] is False


def test_what_has_no_end_is_refused() -> None:
    """A kilobyte that unfolds into billions does not unfold here, nor does a chain of ten thousand levels."""
    twice = {f"d{n}": {"properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "ab"}} for n in range(30)}
    deep: Any = TEXT
    for _ in range(10_000):
        deep = {"type": "array", "items": deep}

    with pytest.raises(Unrepairable) as large:
        of({"$ref": "#/$defs/d0"}, beside={"$defs": twice})
    with pytest.raises(Unrepairable) as low:
        clean_schema({"type": "object", "properties": {"a": deep}}, GEMINI, "tools[1].function.parameters")

    assert (large.value.rule, large.value.param) == ("schema_too_large", "parameters")
    assert (low.value.rule, low.value.param) == ("schema_too_deep", "tools[1].function.parameters")


@pytest.mark.parametrize("keyword", ["properties", "allOf", "anyOf", "items", "not"])
@pytest.mark.parametrize("dialect", [GEMINI, GEMINI_JSON, OPENAI])
def test_long_chains_of_references_end(keyword: str, dialect: Dialect) -> None:
    """Neither Python's stack nor Gemini's nesting limit is the limit."""

    def link(number: int) -> Any:
        reference = {"$ref": f"#/$defs/d{number + 1}"}
        holders: dict[str, Any] = {"properties": {"p": reference}, "anyOf": [reference, TEXT]}
        return {keyword: holders.get(keyword, [reference] if keyword == "allOf" else reference)}

    chain = {f"d{n}": link(n) for n in range(3000)}

    assert of({"$ref": "#/$defs/d0"}, dialect, beside={"$defs": chain})


def test_every_reason_is_given() -> None:
    """The set is closed, and each one is in use."""
    sources = "".join(path.read_text() for path in Path(sanitizers.schemas.__file__).parent.glob("*.py"))

    assert [reason for reason in REASONS if sources.count(f'"{reason}"') < 2] == []
