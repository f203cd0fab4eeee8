"""Schemas that are required together are joined into one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, check_row

ROWS = [
    pytest.param(
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"minLength": 1}}, "required": ["a"]},
                {"properties": {"a": TEXT, "b": WHOLE}, "required": ["b"]},
            ],
            "description": "d",
        },
        {
            "type": "object",
            "properties": {"a": {**TEXT, "minLength": 1}, "b": WHOLE},
            "required": ["a", "b"],
            "description": "d",
        },
        {"all_of_merged": True},
        id="all_of",
    ),
    pytest.param(
        {"allOf": [{**TEXT, "pattern": "a"}, {"pattern": "b"}]},
        {**TEXT, "pattern": "a", "description": 'Also: {"pattern":"b"}'},
        {"all_of_merged": True, "keyword_in_words": False},
        id="all_of_that_cannot_be_merged",
    ),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_members_of_all_of_are_joined_and_conflicts_described(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """The properties and required names of all members are joined."""
    check_row(schema, cleaned, why)
