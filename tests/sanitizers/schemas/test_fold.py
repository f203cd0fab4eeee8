"""The branches of an object are joined into one object, whose description names the branches."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.schemas import GEMINI, clean_schema
from tests.sanitizers.schemas.cleaning import TEXT, check_row
from tests.support.counted_steps import ComparedText, count_comparisons

ROWS = [
    pytest.param(
        {
            "type": "object",
            "properties": {"a": TEXT, "b": TEXT},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        {
            "type": "object",
            "properties": {"a": TEXT, "b": TEXT},
            "description": 'Exactly one of: [{"required":["a"]},{"required":["b"]}]',
        },
        {"one_of_as_any_of": False, "choice_in_words": False},
        id="alternatives_of_required",
    ),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_an_object_gets_the_properties_of_all_branches(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """The provider accepts no choice in such an object."""
    check_row(schema, cleaned, why)


def test_names_that_every_branch_requires_are_looked_up() -> None:
    """Schemas have thousands of names. A search in a list would compare each name with all others."""

    def compared(count: int) -> int:
        branches = [{"required": [ComparedText(f"name_{at}") for at in range(count)]} for _ in range(2)]
        schema = {"type": "object", "properties": {"p": TEXT}, "anyOf": branches}
        return count_comparisons(lambda: clean_schema(schema, GEMINI))

    assert compared(400) < 5 * compared(100) + 100
