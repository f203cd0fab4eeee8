"""Tests that a choice, null and annotations are written around schemas that are already cleaned."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, check_row

ROWS = [
    pytest.param(
        {"anyOf": [{**TEXT, "maxLength": 3}, {"type": "null"}], "default": "a", "description": "d"},
        {**TEXT, "maxLength": 3, "default": "a", "description": "d", "nullable": True},
        {"any_of_distributed": True, "nullable": True},
        id="any_of_null",
    ),
    pytest.param(
        {"oneOf": [{**TEXT, "description": "s"}, WHOLE], "description": "d", "default": 1},
        {
            "anyOf": [
                {**TEXT, "description": "d Default: 1 s"},
                {**WHOLE, "description": "d Default: 1"},
            ]
        },
        {"one_of_as_any_of": True, "any_of_alone": True},
        id="stands_alone",
    ),
    pytest.param(
        {"oneOf": [{"enum": ["a"]}, {"enum": [1]}, {"type": "null"}]},
        {
            "anyOf": [
                {**TEXT, "enum": ["a"], "nullable": True},
                {**WHOLE, "minimum": 1, "maximum": 1, "nullable": True},
            ]
        },
        {
            "one_of_as_any_of": True,
            "any_of_as_enum": True,
            "nullable": True,
            "enum_typed": True,
            "type_array": True,
            "enum_as_range": True,
        },
        id="one_of_untyped_values",
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
        {"enum": ["a", None]},
        {**TEXT, "enum": ["a"], "nullable": True},
        {"enum_typed": True},
        id="or_null_value",
    ),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_annotations_and_null_go_into_each_branch_of_a_choice(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """The schema that holds ``anyOf`` has no other keyword."""
    check_row(schema, cleaned, why)
