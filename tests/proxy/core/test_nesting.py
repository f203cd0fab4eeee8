"""Tests of the nesting depth of JSON values."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.nesting import depth_of, nesting_exceeds

FAR_BEYOND_THE_STACK = 100_000


def nested(levels: int) -> Any:
    """Return a value of *levels* nested lists and objects, in turn."""
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize(
    ("value", "depth"),
    [
        ([], 1),
        ({"a": 1, "b": "[[]]"}, 1),
        ([1, [2, {"a": []}], {}], 4),
        (nested(FAR_BEYOND_THE_STACK), 100_000),
    ],
    ids=["empty", "texts", "deepest of several", "no recursion"],
)
def test_depth_is_that_of_the_deepest_container(value: Any, depth: int) -> None:
    """The depth is that of the deepest container; brackets within texts do not count."""
    assert depth_of(value) == depth
    assert nesting_exceeds(value, depth - 1)
    assert not nesting_exceeds(value, depth)


def test_value_without_containers_exceeds_no_limit() -> None:
    """A limit of 1 allows one container, and a limit of 0 allows none."""
    assert not nesting_exceeds([], 1)
    assert nesting_exceeds([], 0)
