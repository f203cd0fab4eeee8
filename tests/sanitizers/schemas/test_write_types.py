"""The types of a schema, and what is said of texts and numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import ANYTHING, TEXT, WHOLE, of, reasons

ROWS = [
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
        {"type": ["string", "null"]}, {**TEXT, "nullable": True}, {"type_array": True}, id="or_null"
    ),
    pytest.param({**TEXT, "nullable": True}, {**TEXT, "nullable": True}, {}, id="nullable"),
    pytest.param(
        {"type": ["string", "integer"], "description": "d", "minimum": 1},
        {"anyOf": [{**TEXT, "description": "d"}, {**WHOLE, "minimum": 1, "description": "d"}]},
        {"type_array": True, "any_of_alone": True},
        id="several_types",
    ),
    pytest.param({**TEXT, "items": TEXT}, TEXT, {"keyword_dropped": True}, id="keyword_of_another_type"),
    pytest.param({**TEXT, "minLength": "1"}, TEXT, {"keyword_dropped": False}, id="malformed"),
    pytest.param(
        {**TEXT, "format": "uri"},
        {**TEXT, "description": "Format: uri."},
        {"format_dropped": False},
        id="format",
    ),
    pytest.param({**TEXT, "format": "enum"}, TEXT, {"format_dropped": True}, id="format_enum_without_values"),
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
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_keywords_of_texts_and_numbers_are_written_or_described(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """A keyword that the proto knows stays. The others say as much as they can in those, or in words."""
    assert of(schema) == cleaned
    assert reasons(schema) == why
