"""Tests of choices: their branches, and the keywords next to a choice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, check_row

ROWS = [
    pytest.param(
        {"oneOf": [{"type": "number", "minimum": 1}, {"type": "number", "maximum": 2}]},
        {"anyOf": [{"type": "number", "minimum": 1}, {"type": "number", "maximum": 2}]},
        {"one_of_as_any_of": False},
        id="one_of_that_overlaps",
    ),
    pytest.param(
        {"enum": [None, "a"], "anyOf": [{"type": ["integer", "null"]}, TEXT]},
        {**TEXT, "enum": ["a"], "nullable": True},
        {"type_array": True, "enum_typed": True, "any_of_distributed": True, "nullable": True},
        id="a_branch_that_only_null_is_left_of",
    ),
    pytest.param(
        {"oneOf": [{"type": "null"}, {"type": ["string", "null"]}]},
        {**TEXT, "nullable": True},
        {"type_array": True, "one_of_as_any_of": False, "any_of_distributed": True, "nullable": True},
        id="one_of_with_null_in_two",
    ),
    pytest.param(
        {"anyOf": [{"anyOf": [TEXT, WHOLE]}, TEXT]},
        {"anyOf": [TEXT, WHOLE]},
        {"any_of_distributed": True, "duplicate_branch": True},
        id="choice_in_choice",
    ),
    pytest.param(
        {"type": ["string", "integer"], "anyOf": [{"minLength": 1}, {"minimum": 1}]},
        {
            "anyOf": [
                {**TEXT, "minLength": 1},
                WHOLE,
                TEXT,
                {**WHOLE, "minimum": 1},
            ]
        },
        {"type_array": True, "any_of_distributed": True},
        id="distributed",
    ),
    pytest.param({"anyOf": [], **TEXT}, TEXT, {"keyword_dropped": False}, id="no_branches"),
    pytest.param(
        {"oneOf": [{"const": "a", "description": "first"}, {"const": "b"}]},
        {**TEXT, "enum": ["a", "b"], "description": '"a": first.'},
        {"const_as_enum": True, "one_of_as_any_of": True, "any_of_as_enum": True, "enum_typed": True},
        id="choice_of_constants",
    ),
    pytest.param(
        {"enum": ["a", "b"], "anyOf": [TEXT, {"description": "d"}]},
        {**TEXT, "enum": ["a", "b"], "description": '"a", "b": d.'},
        {
            "enum_typed": True,
            "any_of_distributed": True,
            "any_of_as_enum": True,
        },
        id="values_beside_a_choice",
    ),
    pytest.param(
        {"enum": ["a"], "anyOf": [{"minLength": 5}, {"maxLength": 0}]},
        {"anyOf": [{**TEXT, "enum": ["a"], "minLength": 5}, {**TEXT, "enum": ["a"], "maxLength": 0}]},
        {"enum_typed": True, "any_of_distributed": True},
        id="values_beside_a_choice_of_more",
    ),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_a_choice_stands_alone_and_its_branches_get_the_rest(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """Each branch gets the keywords that stood beside the choice."""
    check_row(schema, cleaned, why)
