"""Tests of the benchmark that polls as the open inspector page does."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.gateway.watched import compare, read_interval

SCRIPT = Path(__file__).parents[2] / "proxy" / "inspector" / "static" / "app.js"


def test_interval_is_the_pages_own() -> None:
    """The benchmark reads its poll interval from the page's own script."""
    assert 0.5 <= read_interval(SCRIPT.read_text("utf-8")) <= 10
    assert read_interval("const EVERY_MS = { live: 750, first: 9000 };\n") == 0.75


def test_page_that_names_no_interval_is_not_guessed_at() -> None:
    """A script that names no interval raises ValueError. A guessed interval would say nothing about the page."""
    with pytest.raises(ValueError, match="how often"):
        read_interval("const OFTEN = 1;")


def test_rounds_that_follow_one_another_are_compared() -> None:
    """If the machine's speed changes during a run, the median of pairs stays right, unlike the median."""
    rows, columns = compare({"small": [100.0, 200.0, 400.0]}, {"small": [101.0, 202.0, 404.0]})

    assert columns == ["least", "median", "median of pairs"]
    assert rows["small"] == pytest.approx(dict.fromkeys(columns, 1.01))
    drifting, _ = compare({"small": [100.0, 400.0, 400.0]}, {"small": [100.0, 100.0, 400.0]})
    assert drifting["small"]["median of pairs"] == 1.0
    assert drifting["small"]["median"] == 0.25
