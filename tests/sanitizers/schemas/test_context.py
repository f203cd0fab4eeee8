"""Tests of what all rewrites of one schema share: places in the schema, the work limit, and split schemas."""

from __future__ import annotations

import pytest

from sanitizers import Unrepairable
from sanitizers.schemas import GEMINI, Note, clean_schema
from sanitizers.schemas.context import Flat, Location, RewriteContext
from sanitizers.schemas.size import MAX_SCHEMAS, VALUES_A_SCHEMA


def test_notes_point_into_the_given_schema() -> None:
    """A place is a JSON pointer, with ``/`` and ``~`` escaped."""
    schema = {"type": "object", "properties": {"a/~b": {"type": "array", "items": {"const": "x"}}}}

    assert clean_schema(schema, GEMINI).notes == (
        Note("const_as_enum", "/properties/a~1~0b/items/const", kept=True),
        Note("enum_typed", "/properties/a~1~0b/items/enum", kept=True),
    )


def test_read_values_count_as_one_schema_for_every_thirty_two() -> None:
    """Values that do not fill a group of thirty-two are counted with the values that are read next."""
    context = RewriteContext({}, GEMINI, "parameters")

    for _ in range(3):
        context.count_values(VALUES_A_SCHEMA + VALUES_A_SCHEMA // 2)

    assert MAX_SCHEMAS - context.left == 4


def test_more_work_than_the_limit_is_refused_with_the_place() -> None:
    """The last schema of the limit is accepted."""
    context = RewriteContext({}, GEMINI, "tools[1].function.parameters")
    context.count(MAX_SCHEMAS)

    with pytest.raises(Unrepairable) as caught:
        context.count()

    assert (caught.value.rule, caught.value.param) == ("schema_too_large", "tools[1].function.parameters")


def test_a_split_schema_keeps_its_words_with_the_annotations() -> None:
    """The texts for the description (``words``) belong to the whole schema, and not to one of its types."""
    flat = Flat({"title": "t", "minimum": 1, "x-own": 2}, Location("/p"), ("Also: 1",))

    constraints, annotations = flat.split()

    assert (constraints.schema, constraints.words) == ({"minimum": 1}, ())
    assert (annotations.schema, annotations.words) == ({"title": "t", "x-own": 2}, ("Also: 1",))
