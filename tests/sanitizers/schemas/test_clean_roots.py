"""Tests of the outermost schema, which describes a function's parameters."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.schemas import ANTHROPIC, GEMINI, OPENAI, clean_schema
from tests.sanitizers.schemas.cleaning import TEXT


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
def test_parameters_become_an_object_without_a_choice(root: dict[str, Any], cleaned: dict[str, Any]) -> None:
    """The branches of a choice are joined and described."""
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
def test_only_the_root_is_rewritten_for_openai_and_anthropic(
    root: dict[str, Any], openai: dict[str, Any], anthropic: dict[str, Any]
) -> None:
    """Inner schemas stay as the client sent them."""
    assert clean_schema(root, OPENAI).schema == openai
    assert clean_schema(root, ANTHROPIC).schema == anthropic


def test_a_root_that_openai_takes_comes_back_as_the_same_object() -> None:
    """For OpenAI only the root is rewritten. Inner schemas are sent as they are."""
    schema = {"type": "object", "properties": {"a": {"oneOf": [{"const": 1}, True]}}}

    assert clean_schema(schema, OPENAI).schema is schema
