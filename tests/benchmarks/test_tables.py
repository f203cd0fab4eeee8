"""Tests the benchmarks' tables, and the rules by which ``judge`` finds a leak."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.gateway.series import Sample, judge, quantile
from benchmarks.gateway.tables import Figures, least, ratios, render

FLAT = [
    Sample(seconds=at, requests=100, errors=0, resident=80.0, files=20, threads=3, in_flight=0)
    for at in range(8)
]


def test_ratios_are_to_the_base_in_the_same_column() -> None:
    """A ratio divides a figure by the base row's figure in the same column.

    Without a base's figure there is no ratio.
    """
    figures: Figures = {"base": {"a": 2.0, "b": None}, "ours": {"a": 5.0, "b": 7.0}}

    assert ratios(figures, "base", ["a", "b"]) == {
        "base": {"a": 1.0, "b": None},
        "ours": {"a": 2.5, "b": None},
    }


def test_table_has_a_line_for_each_row_and_a_hyphen_for_gaps() -> None:
    """The table has one line for each row, and a hyphen in place of each missing figure."""
    table = render({"ours": {"a": 1234.56, "b": None}}, ["a", "b"], {"a": 1})

    assert table.splitlines() == ["| | a | b |", "|---|---|---|", "| ours | 1,234.6 | - |"]


def test_refused_row_has_no_figure() -> None:
    """``least`` returns the smallest sample, or None without samples."""
    assert least([]) is None
    assert least([3.0, 2.0]) == 2.0


def test_quantile_of_sorted_values() -> None:
    """``quantile`` takes sorted values, and returns 0 for none."""
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 3.0
    assert quantile([1.0, 2.0], 1.0) == 2.0
    assert quantile([], 0.5) == 0.0


def test_a_flat_series_is_good() -> None:
    """``judge`` finds no leak where memory is flat, or grows in the first half only."""
    filling = [replace(sample, resident=60.0 + 5 * min(at, 4)) for at, sample in enumerate(FLAT)]

    assert judge(FLAT) == []
    assert judge(filling) == []


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"errors": 1}, "1 errors"),
        ({"requests": 0}, "a stretch without any answer"),
        ({"files": 40}, "open files grew from 20 to 40"),
        ({"threads": 30}, "threads grew from 3 to 30"),
        ({"in_flight": 2}, "2 requests still in flight at the end"),
        ({"resident": 90.0}, "memory grew from 80.0 to 85.0 MiB"),
    ],
)
def test_what_a_leak_is(changed: dict[str, int], fault: str) -> None:
    """``judge`` names the fault if any one of these values of the last sample changes."""
    assert judge([*FLAT[:-1], replace(FLAT[-1], **changed)]) == [fault]


def test_few_samples_tell_nothing() -> None:
    """A series of three samples is a fault, so that a short run cannot pass."""
    assert judge(FLAT[:3]) == ["too few samples to tell"]
