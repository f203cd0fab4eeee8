"""Tests that a function's parameters are sent in the field that can hold their schema."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.upstream.wires.gemini.function_parameters import parameter_fields
from sanitizers import Unrepairable
from sanitizers.schemas import GEMINI, GEMINI_1, GEMINI_JSON, GEMINI_ON_LITELLM, clean_schema
from tests.sanitizers.schemas import drawn

STRING = {"type": "string"}


def root(schema: Any) -> dict[str, Any]:
    """Return parameters with one property."""
    return {"type": "object", "properties": {"p": schema}}


def test_types_are_in_capitals() -> None:
    """Only the names of types change. Other keywords and values stay the same."""
    schema = root(
        {
            "anyOf": [
                {"type": "array", "items": {"type": "string", "enum": ["object"]}, "nullable": True},
                {"type": "object", "properties": {"type": {"type": "integer", "minimum": 1}}},
            ]
        }
    )

    assert parameter_fields(schema) == {
        "parameters": {
            "type": "OBJECT",
            "properties": {
                "p": {
                    "anyOf": [
                        {"type": "ARRAY", "items": {"type": "STRING", "enum": ["object"]}, "nullable": True},
                        {"type": "OBJECT", "properties": {"type": {"type": "INTEGER", "minimum": 1}}},
                    ]
                }
            },
        }
    }


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        {"type": ["string", "null"]},
        {"type": "STRING"},
        {"type": "integer", "enum": [1]},
        {"type": "string", "enum": ["a", ""]},
        {"type": "string", "enum": "a"},
        {"type": "string", "format": "uri"},
        {"type": "string", "format": ["date-time"]},
        {"type": "integer", "format": "double"},
        {"anyOf": [STRING], "description": "d"},
        {"type": "array"},
        {"type": "array", "items": [STRING]},
        {"type": "object", "properties": [STRING]},
        {"anyOf": STRING},
        {"anyOf": [STRING, {"const": 1}]},
        {"type": "string", "x-y": 1},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"type": "array", "items": {"type": "array", "prefixItems": [STRING]}},
    ],
)
def test_schema_with_other_keywords_is_sent_as_json_schema(schema: Any) -> None:
    """A schema that ``parameters`` cannot hold is sent unchanged in ``parametersJsonSchema``."""
    [(field, sent)] = parameter_fields(given := root(schema)).items()

    assert field == "parametersJsonSchema"
    assert sent is given


def test_schema_that_is_nested_too_deeply_is_sent_as_json_schema() -> None:
    """A schema beyond the limit of nesting is sent untranslated, in ``parametersJsonSchema``."""
    schema: Any = STRING
    for _ in range(100):
        schema = {"type": "array", "items": schema}

    assert list(parameter_fields(root(schema))) == ["parametersJsonSchema"]


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {},
        {"type": "object"},
        {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        {"type": "object", "title": "t"},
    ],
)
def test_empty_parameters_are_left_out(schema: Any) -> None:
    """Empty parameters are left out, since some models refuse an empty object."""
    assert parameter_fields(schema) == {}


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"type": "object", "description": "Any keys."}, "parameters"),
        ({"type": "object", "additionalProperties": STRING}, "parametersJsonSchema"),
    ],
)
def test_object_without_properties_but_with_a_description_is_declared(schema: Any, field: str) -> None:
    """Neither a description nor ``additionalProperties`` is lost."""
    assert list(parameter_fields(schema)) == [field]


@given(
    st.one_of(drawn.roots, drawn.junk, drawn.junk.map(root)),
    st.sampled_from(
        [
            ("gemini-1.5-pro", GEMINI_1),
            ("gemini-2.5-pro", GEMINI),
            ("gemini-2.5-pro", GEMINI_ON_LITELLM),
            ("gemini-3.6-flash", GEMINI),
            ("gemini-3.6-flash", GEMINI_JSON),
        ]
    ),
)
def test_judge_takes_every_cleaned_schema(schema: dict[str, Any], target: tuple[str, Any]) -> None:
    """The emulator's judge accepts the declaration of any schema after it was cleaned."""
    model, dialect = target
    try:
        cleaned = clean_schema(schema, dialect).schema
    except Unrepairable:
        return  # it refers to itself twice over, in every turn
    fields = parameter_fields(cleaned)

    assert dialect is GEMINI_JSON or "parametersJsonSchema" not in fields
    body = {
        "contents": [{"role": "user", "parts": [{"text": "a"}]}],
        "tools": [{"functionDeclarations": [{"name": "f", **fields}]}],
    }
    assert judge(model, body) is None
