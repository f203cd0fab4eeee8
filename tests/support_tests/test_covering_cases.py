"""Tests the choice of the cases that ``make test`` runs of a test with many parameters."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import covering_cases
from tests.support.covering_cases import Row, choose_rows, share_of


def held(rows: list[Row], strength: int) -> set[Any]:
    """Return all combinations of *strength* parameters' values in *rows*."""
    return {one for row in rows for one in combinations(enumerate(row), strength)}


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.tuples(*[st.integers(0, 4)] * width), min_size=1, max_size=40)
    ),
    st.integers(1, 2),
)
def test_chosen_cases_hold_every_value_or_pair(rows: list[Row], strength: int) -> None:
    """The chosen cases hold all that the cases hold, and a second choice is the same."""
    chosen = choose_rows(rows, strength)

    strength = min(strength, len(rows[0]))
    assert held([rows[number] for number in chosen], strength) == held(rows, strength)
    assert choose_rows(rows, strength) == chosen


@pytest.mark.parametrize(
    ("sizes", "strength", "count"),
    [
        ((11, 2, 2), 1, 11),
        ((2, 2, 11), 1, 11),
        ((11, 2, 2), 2, 22),
        ((5, 4, 2, 2), 2, 20),
        ((7,), 1, 7),
        ((7,), 2, 7),
    ],
)
def test_no_more_cases_are_chosen_than_the_largest_parameters_need(
    sizes: tuple[int, ...], strength: int, count: int
) -> None:
    rows = list(product(*map(range, sizes)))

    assert len(choose_rows(rows, strength)) == count


def test_values_of_small_parameters_meet_in_each_value() -> None:
    """The smaller parameters' pairs are spread too: streams are not always asked of the same transport."""
    rows = list(product(range(12), range(2), range(2)))

    pairs = [rows[number][1:] for number in choose_rows(rows, 1)]

    assert sorted(pairs) == sorted(list(product(range(2), repeat=2)) * 3)


@pytest.mark.each_value
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("place", "square"), [(1, 1), (2, 4), (3, 9)])
def test_case_of_a_test_with_the_marker(place: int, square: int, side: str) -> None:
    """The next test counts these cases."""
    assert place**2 == square
    assert side in ("left", "right")


def test_case_is_left_out_unless_everything_is_asked_for(request: pytest.FixtureRequest) -> None:
    """Names that are parametrized together are one parameter: of six cases three are kept."""
    names = [
        item.name
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.function is test_case_of_a_test_with_the_marker
    ]

    assert len(names) == (6 if covering_cases.EVERYTHING else 3)
    assert {name.rpartition("-")[2] for name in names} == {"left]", "right]"}


def test_thirds_of_three_neighbours_are_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each neighbour gets other cases. Where everything is asked for, each gets all of them."""
    cases = list(range(10))
    monkeypatch.setattr(covering_cases, "EVERYTHING", False)
    assert sorted(case for number in range(4, 7) for case in share_of(cases, number)) == cases

    monkeypatch.setattr(covering_cases, "EVERYTHING", True)
    assert share_of(cases, 4) == cases
