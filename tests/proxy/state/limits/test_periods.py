"""Tests of the periods of spend."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.limits.periods import Period, Periods, kept_s, period_at

DAY_S = 86_400.0


def unix(text: str) -> float:
    """Return the Unix time of *text*, a moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("duration", "now", "name", "ends"),
    [
        ("30s", "1970-01-01T00:00:29", "1970-01-01T00:00:00Z/PT30S", "1970-01-01T00:00:30"),
        ("30s", "1970-01-01T00:00:30", "1970-01-01T00:00:30Z/PT30S", "1970-01-01T00:01:00"),
        ("1h", "2026-11-28T13:59:59.999", "2026-11-28T13:00:00Z/PT3600S", "2026-11-28T14:00:00"),
        ("7d", "1970-01-08T00:00:00", "1970-01-08T00:00:00Z/PT604800S", "1970-01-15T00:00:00"),
        ("30d", "2026-11-28T00:00:00", "2026-11-03T00:00:00Z/PT2592000S", "2026-12-03T00:00:00"),
        ("1mo", "2026-11-28T13:00:00", "2026-11", "2026-12-01T00:00:00"),
        ("1mo", "2026-12-31T23:59:59", "2026-12", "2027-01-01T00:00:00"),
        ("1mo", "2028-02-29T00:00:00", "2028-02", "2028-03-01T00:00:00"),
    ],
)
def test_period_is_found_by_the_clock(duration: str, now: str, name: str, ends: str) -> None:
    assert period_at(duration, unix(now)) == Period(name, unix(ends))


def test_period_without_a_duration_never_ends() -> None:
    assert period_at(None, 5.0) == period_at(None, 10.0**10) == Period("ever", None)


@given(st.sampled_from(["30s", "90s", "12h", "7d", "1mo"]), st.floats(0, 4 * 10**9))
def test_next_period_begins_where_one_ends(duration: str, now: float) -> None:
    period = period_at(duration, now)
    assert period.ends_at is not None
    assert period.ends_at > now
    assert period_at(duration, period.ends_at).name != period.name
    assert period_at(duration, period.ends_at - 0.001).name == period.name


@given(st.lists(st.floats(0, 10**7), max_size=20))
def test_kept_periods_are_those_of_the_clock(times: list[float]) -> None:
    periods = Periods()
    for now in times:
        for duration in ("90s", "1mo", None):
            assert periods.at(duration, now) == period_at(duration, now)


def test_spend_is_kept_for_35_days_after_its_period() -> None:
    assert kept_s(Period("p", 1_000.0), 900.0) == 100 + 35 * DAY_S
    assert kept_s(Period("p", 1_000.0), 5_000.0) == 35 * DAY_S
    assert kept_s(Period("ever", None), 0.0) > 3_000 * DAY_S
