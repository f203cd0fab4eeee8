"""Values that are listed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, of, reasons

ROWS = [
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
    pytest.param({**TEXT, "enum": []}, TEXT, {"keyword_dropped": False}, id="no_values"),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_texts_are_listed_and_other_values_become_ranges_or_words(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """Texts are listed. Of others there is a range, or they are told."""
    assert of(schema) == cleaned
    assert reasons(schema) == why
