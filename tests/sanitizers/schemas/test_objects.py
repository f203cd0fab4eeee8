"""Tests of the keywords of objects."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.schemas import GEMINI_1, clean_schema
from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, check_row, of

ROWS = [
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
    pytest.param(
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
        {"type": "object", "properties": {"a": TEXT}},
        {"closed_object": False},
        id="closed",
    ),
    pytest.param(
        {"type": "object", "additionalProperties": WHOLE},
        {"type": "object", "description": 'Rules: {"additionalProperties":{"type":"integer"}}'},
        {"keyword_in_words": False},
        id="map",
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
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_properties_and_required_names_are_written_and_the_rest_described(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    check_row(schema, cleaned, why)


def test_gemini_1_has_no_empty_objects() -> None:
    """An empty object becomes a text. Parameters without properties stay an object."""
    assert of({"type": "object"}, GEMINI_1) == {**TEXT, "description": "A JSON object, written as text."}
    assert clean_schema({"type": "object", "description": "d"}, GEMINI_1).schema == {"type": "object"}
