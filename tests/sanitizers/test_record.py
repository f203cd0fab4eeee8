"""Tests of the ``record`` decorator, for values that every request creates."""

from __future__ import annotations

import pytest

from sanitizers.record import record


@record
class Point:
    """A value of one field."""

    x: int = 0


def test_a_record_is_cheap_to_make_and_equal_by_value() -> None:
    """A frozen dataclass would set each field by ``object.__setattr__``, which takes ten times as long."""
    assert "__setattr__" not in vars(Point)
    assert Point(1) == Point(1) != Point(2)


def test_a_record_has_no_field_but_its_own() -> None:
    """Slots accept no other field, so that a misspelled field is an error."""
    with pytest.raises(AttributeError):
        setattr(Point(), "y", 1)  # noqa: B010
