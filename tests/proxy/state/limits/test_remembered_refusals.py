"""Tests of the refusals that a replica remembers."""

from __future__ import annotations

import pytest

from proxy.state.limits.remembered_refusals import RememberedRefusals


@pytest.fixture
def remembered() -> RememberedRefusals:
    """Return refusals of which one holds: five or more of "b", until 110."""
    made = RememberedRefusals()
    made.remember("b", 5, 110.0)
    return made


@pytest.mark.parametrize(
    ("name", "amount", "now", "wait_s"),
    [
        ("b", 5, 100.0, 10.0),
        ("b", 9, 109.0, 1.0),
        ("b", 4, 100.0, 0.0),
        ("b", 5, 110.0, 0.0),
        ("c", 5, 100.0, 0.0),
    ],
    ids=["the same", "more", "less", "over", "another"],
)
def test_refusal_holds_for_as_much_until_its_wait_is_over(
    remembered: RememberedRefusals, name: str, amount: int, now: float, wait_s: float
) -> None:
    assert remembered.wait_for(name, amount, now) == wait_s


def test_refusal_that_is_over_is_forgotten(remembered: RememberedRefusals) -> None:
    remembered.wait_for("b", 5, 110.0)
    assert len(remembered.refusals) == 0


def test_refusal_is_forgotten_where_something_was_given_back(remembered: RememberedRefusals) -> None:
    remembered.forget("b")
    remembered.forget("unknown")

    assert remembered.wait_for("b", 5, 100.0) == 0


def test_number_of_refusals_is_bounded() -> None:
    made = RememberedRefusals()
    for number in range(10_000):
        made.remember(f"b{number}", 1, 110.0)

    assert len(made.refusals) <= 4_096
    assert made.wait_for("b9999", 1, 100.0) == 10
