"""Tests of the keywords of arrays."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import ANYTHING, TEXT, WHOLE, check_row

ROWS = [
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
        {"type": "array", "items": TEXT, "additionalItems": False},
        {"type": "array", "items": TEXT},
        {"keyword_dropped": True},
        id="no_further_items",
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
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_items_are_written_or_described(schema: Any, cleaned: Any, why: dict[str, bool]) -> None:
    """The cleaned array has one schema for all items, and limits on their number."""
    check_row(schema, cleaned, why)
