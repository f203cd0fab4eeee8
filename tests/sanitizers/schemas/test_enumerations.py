"""Tests of enumerations, in a dialect that lists only texts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, check_row

ROWS = [
    pytest.param({"enum": ["a", "b"]}, {**TEXT, "enum": ["a", "b"]}, {"enum_typed": True}, id="enum"),
    pytest.param(
        {**TEXT, "enum": ["a", "", None]},
        {**TEXT, "enum": ["a"], "description": 'May also be "".'},
        {"empty_enum_value": False},
        id="empty_value",
    ),
    pytest.param(
        {"const": True},
        {"type": "boolean", "description": "One of: [true]"},
        {"const_as_enum": True, "enum_typed": True, "enum_in_words": False},
        id="const_boolean",
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
        {"enum": ["a", 1]},
        {"anyOf": [{**TEXT, "enum": ["a"]}, {**WHOLE, "minimum": 1, "maximum": 1}]},
        {"enum_typed": True, "type_array": True, "enum_as_range": True},
        id="mixed_values",
    ),
    pytest.param(
        {"enum": [True, False]},
        {"type": "boolean"},
        {"enum_typed": True, "enum_as_range": True},
        id="both_booleans",
    ),
    pytest.param({**TEXT, "enum": []}, TEXT, {"keyword_dropped": False}, id="no_values"),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_texts_are_listed_and_other_values_become_ranges_or_words(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    check_row(schema, cleaned, why)
