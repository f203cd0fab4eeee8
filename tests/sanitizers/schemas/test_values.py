"""Tests of JSON values: equality, types and bounds."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.schemas.values import as_bounds, as_json, distinct, group_values, same

VALUES: list[tuple[Any, Any, bool]] = [
    (1, 1.0, True),
    (1, True, False),
    (0, False, False),
    ([1], [True], False),
    ({"a": [1]}, {"a": [1.0]}, True),
    ({"a": 1}, {"b": 1}, False),
    ([1, 2], [1], False),
    ("1", 1, False),
    (None, False, False),
]


@pytest.mark.parametrize(("one", "other", "equal"), VALUES)
def test_values_are_equal_as_json_has_them(one: Any, other: Any, equal: bool) -> None:
    """Python treats ``1`` and ``True`` as equal, and JSON does not."""
    assert same(one, other) is equal


@pytest.mark.parametrize(("one", "other", "equal"), [row for row in VALUES if row[0].__class__ is not dict])
def test_equal_values_are_listed_once(one: Any, other: Any, equal: bool) -> None:
    """The first of two equal values stays."""
    assert len(distinct([one, other])) == (1 if equal else 2)


def test_comparing_counts_each_value_that_is_read() -> None:
    """The count makes comparisons part of the work limit, so a hostile client cannot cause endless comparisons."""
    read: list[int] = []

    assert same({"a": [1, 2]}, {"a": [1, 2]}, read.append)

    assert sum(read) == 4


@pytest.mark.parametrize(
    ("values", "bounds", "exact"),
    [
        ([3, 1, 2], {"minimum": 1, "maximum": 3}, True),
        ([1, 3], {"minimum": 1, "maximum": 3}, False),
        ([1.5, 2.5], {"minimum": 1.5, "maximum": 2.5}, False),
        ([2.5], {"minimum": 2.5, "maximum": 2.5}, True),
        ([1, 2**53 + 1], {}, False),
    ],
)
def test_numbers_become_bounds_where_a_double_holds_them(
    values: list[Any], bounds: dict[str, Any], exact: bool
) -> None:
    """Bounds are exact for whole numbers without gaps, and for a single number."""
    assert as_bounds(values) == (bounds, exact)


@pytest.mark.parametrize(
    ("types", "groups"),
    [
        (None, {"number": [1, 2.5], "string": ["a"], "null": [None]}),
        (["integer"], {"number": [1]}),
        (["number", "null"], {"number": [1, 2.5], "null": [None]}),
        (["string"], {"string": ["a"]}),
    ],
)
def test_values_are_grouped_by_the_types_that_allow_them(types: list[str] | None, groups: Any) -> None:
    """Integers are in the group of numbers where other numbers are allowed too."""
    assert group_values([1, "a", 2.5, None, 1.0], types) == groups


@pytest.mark.parametrize(
    ("value", "text"), [({"a": "ü"}, '{"a":"ü"}'), (10**30, "…"), ("\ud800", "…"), ({1: 2}, '{"1":2}')]
)
def test_values_that_orjson_cannot_write_are_an_ellipsis(value: Any, text: str) -> None:
    """A description never fails for a value that a client made up."""
    assert as_json(value) == text
