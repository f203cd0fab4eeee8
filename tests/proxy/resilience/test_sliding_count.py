"""Tests the count of events in the last seconds, by comparison with a complete list of events."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.resilience.sliding_count import SlidingCount

SPAN_S = 10.0
steps = st.lists(st.tuples(st.one_of(st.just(0.0), st.floats(0, 15)), st.booleans()), max_size=60)


@given(start=st.floats(-1e6, 1e9), steps=steps)
def test_the_count_covers_the_span_less_one_part_at_most(
    start: float, steps: list[tuple[float, bool]]
) -> None:
    """The count has no event older than its span. Only events in the oldest part of the span may be missing."""
    count, moments, now = SlidingCount(SPAN_S), list[float](), start
    for passed, add in steps:
        now += passed
        if add:
            count.add(now)
            moments.append(now)
        surely = sum(now - moment < SPAN_S - 1.001 for moment in moments)
        at_most = sum(now - moment < SPAN_S + 0.001 for moment in moments)
        assert surely <= count.total(now) <= at_most


def test_a_cleared_count_is_zero() -> None:
    """A cleared count is zero, and counts later events."""
    count = SlidingCount(SPAN_S)
    count.add(5.0)
    count.clear()
    assert count.total(5.0) == 0
    count.add(6.0)
    assert count.total(6.0) == count.total(15.5) == 1


def test_a_moment_before_the_newest_counts_as_the_newest() -> None:
    """An event that is older than the newest one is counted for as long as the newest."""
    count = SlidingCount(SPAN_S)
    count.add(100.0)
    count.add(50.0)
    assert (count.total(60.0), count.total(109.0), count.total(110.0)) == (2, 2, 0)
