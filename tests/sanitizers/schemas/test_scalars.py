"""Tests of bounds and formats, and of the descriptions for those that the provider does not know."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, check_row

ROWS = [
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
def test_bounds_and_formats_are_written_or_described(schema: Any, cleaned: Any, why: dict[str, bool]) -> None:
    """An exclusive bound of an integer becomes the nearest integer inside the bound."""
    check_row(schema, cleaned, why)
