"""Tests of JSON Schema in the form that ``parametersJsonSchema`` accepts."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.schemas import GEMINI_JSON, clean_schema
from tests.sanitizers.schemas.cleaning import NODE, TEXT, WHOLE, check_row

ROWS = [
    pytest.param({}, {}, {}, id="anything"),
    pytest.param({"type": ["string", "null"]}, {"type": ["string", "null"]}, {}, id="several_types"),
    pytest.param({**TEXT, "nullable": True}, {"type": ["string", "null"]}, {"nullable": True}, id="nullable"),
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
    pytest.param({"anyOf": [False]}, {"anyOf": [{"type": "null"}]}, {"boolean_schema": True}, id="nothing"),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_types_null_and_choices_stay_and_bounds_of_texts_are_described(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    check_row(schema, cleaned, why, GEMINI_JSON)


def test_recursion_stays_where_it_can_be_written() -> None:
    """Google resolves recursion "within non-required properties"."""
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
