"""Tests of the headers that say what is left of a key's limits."""

from __future__ import annotations

import pytest

from proxy.observability.limit_headers import write_duration, write_limits
from proxy.state.limits.claims import Standing
from tests.proxy.observability.standings import BOTH

REQUESTS = {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
    "x-ratelimit-reset-requests": "1s",
}
TOKENS = {
    "x-ratelimit-limit-tokens": "200000",
    "x-ratelimit-remaining-tokens": "198976",
    "x-ratelimit-reset-tokens": "308ms",
}


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (BOTH, REQUESTS | TOKENS),
        (Standing(60, 59, 1.0), REQUESTS),
        (Standing(None, None, None, 200_000, 198_976, 0.3072), TOKENS),
        (Standing(), {}),
    ],
    ids=["both", "requests", "tokens", "neither"],
)
def test_each_kind_of_limit_has_three_headers(standing: Standing, expected: dict[str, str]) -> None:
    """A key without a limit of one kind gets no headers of that kind."""
    assert write_limits(standing) == expected


def test_debt_leaves_nothing_and_not_less() -> None:
    """A settled request may have used more than was left."""
    assert write_limits(Standing(60, -5, 70.0))["x-ratelimit-remaining-requests"] == "0"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1.0, "0s"),
        (0.0, "0s"),
        (0.00001, "1ms"),
        (0.12, "120ms"),
        (0.9991, "1s"),
        (1.0, "1s"),
        (8.64, "8.64s"),
        (59.9999, "1m0s"),
        (360.0, "6m0s"),
        (432.5, "7m12.5s"),
        (3600.0, "1h0m0s"),
        (90_061.001, "25h1m1.001s"),
    ],
)
def test_time_is_written_as_openai_writes_it(seconds: float, text: str) -> None:
    """Times are rounded up to the millisecond."""
    assert write_duration(seconds) == text
