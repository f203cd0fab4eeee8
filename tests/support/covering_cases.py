"""Chooses the cases of a parametrized test that ``make test`` runs. ``make test-deep`` runs all cases.

A test with the marker ``each_value`` runs cases that hold each value of each parameter at least once. A test with the
marker ``pairwise`` runs cases that hold each pair of values of two parameters at least once. The choice depends on the
cases alone, so each run and each worker of pytest-xdist makes the same choice.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations, groupby
from typing import TypeVar

import pytest

EVERYTHING = os.environ.get("TURNRIGHT_HYPOTHESIS") in ("deep", "soak")
"""True where the tests may take long (``make test-deep``)."""

_SHARES = 3

STRENGTHS = {"each_value": 1, "pairwise": 2}
"""The markers, and the number of parameters whose values meet in some case."""

Case = TypeVar("Case")
Row = tuple[Hashable, ...]
"""A value for each parameter of a case. Names that are parametrized together are one parameter."""


_Combination = tuple[tuple[int, Hashable], ...]


def cases_to_leave_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the marked tests' cases that ``make test`` leaves out. *items* are in the order of collection."""
    left_out: list[pytest.Item] = []
    cases = [item for item in items if isinstance(item, pytest.Function) and hasattr(item, "callspec")]
    cases.sort(key=_test_of)
    for _, group in groupby(cases, key=_test_of):
        of_one_test = list(group)
        strength = _strength_of(of_one_test[0])
        if strength:
            rows = [_row_of(item) for item in of_one_test]
            kept = choose_rows(rows, strength)
            left_out += [item for number, item in enumerate(of_one_test) if number not in kept]
    return left_out


def share_of(cases: Sequence[Case], number: int) -> list[Case]:
    """Return a third of *cases*: the first, second or last one of three, by *number*. ``make test-deep`` takes all.

    Where providers are numbered, neighbours get different thirds, and each case goes to a third of them.
    """
    return list(cases) if EVERYTHING else list(cases[number % _SHARES :: _SHARES])


def choose_rows(rows: Sequence[Row], strength: int) -> set[int]:
    """Return the numbers of some *rows* that hold each combination of *strength* parameters' values that any row has.

    The parameters with the most values decide how many rows are needed. For each combination of their values, the row
    with the most missing combinations is chosen, then the row whose larger combinations were chosen least often.
    """
    columns = list(zip(*rows, strict=True))
    strength = min(strength, len(columns))
    largest = sorted(range(len(columns)), key=lambda at: -len(set(columns[at])))[:strength]
    groups: dict[tuple[Hashable, ...], list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(tuple(row[at] for at in largest), []).append(number)

    missing = {combination for row in rows for combination in _combinations(row, strength)}
    used: Counter[_Combination] = Counter()
    chosen: set[int] = set()

    def choose(numbers: Sequence[int]) -> None:
        def merit(number: int) -> tuple[int, int]:
            new = sum(one in missing for one in _combinations(rows[number], strength))
            return new, -sum(used[one] for one in _combinations(rows[number], strength + 1))

        best = max(numbers, key=merit)  # the first of equals
        chosen.add(best)
        missing.difference_update(_combinations(rows[best], strength))
        used.update(_combinations(rows[best], strength + 1))

    for numbers in groups.values():
        choose(numbers)
    while missing:
        choose([number for number in range(len(rows)) if number not in chosen])
    return chosen


def _combinations(row: Row, strength: int) -> Iterator[_Combination]:
    return combinations(enumerate(row), strength)


def _row_of(item: pytest.Function) -> Row:
    """Return a case's values, each as the id of the object that all cases with this value share."""
    given = {name: id(value) for name, value in item.callspec.params.items()}
    row: list[Hashable] = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        row.append(tuple(given.pop(name.strip()) for name in names))
    return (*row, *given.values())  # the others are those of fixtures


def _test_of(item: pytest.Function) -> str:
    return item.nodeid.partition("[")[0]


def _strength_of(item: pytest.Item) -> int:
    return max((strength for name, strength in STRENGTHS.items() if item.get_closest_marker(name)), default=0)
