"""Tests of schemas with one or several types, and of keywords that mean nothing for a type."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import ANYTHING, TEXT, WHOLE, check_row

ROWS = [
    pytest.param(TEXT, TEXT, {}, id="clean"),
    pytest.param({}, ANYTHING, {"any_value": False}, id="anything"),
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
        {"type": ["string", "integer"], "description": "d", "minimum": 1},
        {"anyOf": [{**TEXT, "description": "d"}, {**WHOLE, "minimum": 1, "description": "d"}]},
        {"type_array": True, "any_of_alone": True},
        id="several_types",
    ),
    pytest.param({**TEXT, "items": TEXT}, TEXT, {"keyword_dropped": True}, id="keyword_of_another_type"),
    pytest.param({**TEXT, "minLength": "1"}, TEXT, {"keyword_dropped": False}, id="malformed"),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_types_are_written_or_inferred_from_the_keywords(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """A keyword that means nothing for the type is dropped."""
    check_row(schema, cleaned, why)
