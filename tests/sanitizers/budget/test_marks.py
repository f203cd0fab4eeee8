"""Tests of the presets, and of the low, high and hard token marks that follow from a window's limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget import PRESETS, CutPolicy, FixedTokens, Marks, marks_for

BALANCED = PRESETS["balanced"]


def test_marks_follow_from_the_limit() -> None:
    """A limit of 100,000 with a margin of 8 % and 6,000 fixed tokens leaves 86,000.

    The high mark is rounded down to steps of 1,024. The hard mark is 95 % of the limit, less the fixed tokens.
    """
    marks = marks_for(BALANCED, limit=100_000, margin=0.08, fixed=FixedTokens(4_000, 2_000))

    assert marks == Marks(83 * 1_024, 83 * 1_024, 83 * 512, 89_000, 4_000, 2_000)


def test_small_windows_are_rounded_finely() -> None:
    """At most a sixteenth of a small window is lost to rounding."""
    for limit in (1, 10, 100, 1_000, 10_000):
        available = marks_for(BALANCED, limit=limit).available
        assert available is not None
        assert limit * 15 / 16 < available + 1 <= limit + 1


def test_presets_move_the_marks() -> None:
    """Presets move the marks: ``lango`` takes half the window, and ``localcowork`` keeps up to 5,000 tokens free."""
    assert marks_for(PRESETS["lango"], limit=131_072).high == 65_536
    assert marks_for(PRESETS["localcowork"], limit=32_768, margin=0.25).high == 24_576 - 5_000
    assert marks_for(PRESETS["localcowork"], limit=8_192, margin=0.5).high == 3_072
    assert marks_for(PRESETS["off"], limit=8_192) == Marks(8_192, None, None, None)


def test_an_assumed_limit_has_no_hard_mark() -> None:
    """An assumed limit has no hard mark, and without a limit there is no mark."""
    assert marks_for(BALANCED, limit=32_768, assumed=True).hard is None
    assert marks_for(BALANCED, limit=None, fixed=FixedTokens(3, 4)) == Marks(tools=3, system=4)


@given(
    st.sampled_from(list(PRESETS.values())),
    st.integers(0, 2_000_000),
    st.floats(0, 0.99),
    st.integers(0, 100_000),
    st.integers(0, 100_000),
)
def test_low_high_and_available_are_in_order(
    policy: CutPolicy, limit: int, margin: float, tools: int, system: int
) -> None:
    """The marks are in order: low, high, available.

    The high mark is never above a hard mark that leaves room.
    """
    marks = marks_for(policy, limit=limit, margin=margin, fixed=FixedTokens(tools, system))

    assert marks.fixed == tools + system
    if marks.high is not None and marks.low is not None and marks.available is not None:
        assert 0 <= marks.low <= marks.high <= marks.available
        assert marks.hard is None or marks.high <= max(0, marks.hard)


@pytest.mark.parametrize("excess", [1, 50, 10_000])
def test_lowered_marks_are_lower(excess: int) -> None:
    """Lowering puts the high mark below the hard mark by the excess, and moves the low mark in proportion.

    No mark is below 0.
    """
    marks = Marks(1_000, 1_000, 500, 950)
    lower = marks.lowered(excess)

    assert lower.high == max(0, 950 - excess)
    assert lower.low == 500 * lower.high // 1_000
    assert lower.hard == 950
    assert Marks().lowered(excess) == Marks()
