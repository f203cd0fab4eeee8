"""Tests that any JSON value is written as compact text, even a value that orjson cannot write."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from sanitizers.budget.json_text import json_text

HUGE = 10**100_000


def nested(depth: int) -> Any:
    """Return an empty list within *depth* other lists."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, "é", None]}, '{"a":[1,"é",null]}'),
        ({"a": ["x", "\ud800"]}, '{"a":}[,]"\ud800""x"'),
        ([2**64], "[]18446744073709551616"),
        ((1, 2**64), "[,]184467440737095516161"),
        (nested(300), "[]" * 301),
    ],
    ids=["plain", "lone surrogate", "more than 64 bits", "tuple", "nested"],
)
def test_a_value_is_compact_json_or_its_pieces_in_another_order(value: Any, text: str) -> None:
    """If orjson cannot write a value, its pieces are written: each text, name and bracket once."""
    assert json_text(value) == text


def test_a_value_nested_deeper_than_recursion_is_written() -> None:
    """The pieces are found without recursion."""
    depth = sys.getrecursionlimit() * 20

    assert len(json_text(nested(depth))) == 2 * (depth + 1)


def test_a_number_that_python_does_not_write_out_has_as_many_digits() -> None:
    """Python refuses to write numbers of more than 4,300 digits."""
    assert len(json_text(HUGE)) == pytest.approx(100_000, rel=1e-4)
