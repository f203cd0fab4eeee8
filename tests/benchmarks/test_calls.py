"""Tests that a request costs no more Python calls than its bound.

The bounds are 15 % above the counts of ``python -m benchmarks.gateway.calls`` on CPython 3.11. Two runs differ by less
than 1 %. The bounds find a step that is taken twice, or a cache that never hits. Raise a bound only for a feature that
is worth more calls.
"""

from __future__ import annotations

import pytest

from benchmarks.gateway.bodies import bodies
from benchmarks.gateway.calls import count_calls

BOUNDS = {
    "OpenAI": {"small": 1_010, "10k": 1_430, "100k": 4_350, "10k damaged": 2_270, "100k damaged": 13_000},
    "Gemini": {"small": 1_130, "10k": 2_230, "100k": 10_850, "10k damaged": 3_340, "100k damaged": 22_400},
}


@pytest.fixture(scope="module")
def counted() -> dict[str, dict[str, float]]:
    """Count the calls for a request of each size, on each wire."""
    return count_calls(bodies())


@pytest.mark.parametrize("route", BOUNDS)
@pytest.mark.parametrize("size", BOUNDS["OpenAI"])
def test_calls_of_a_request(counted: dict[str, dict[str, float]], route: str, size: str) -> None:
    """The number of calls for a request is below its bound and above a third of the bound. So a count of zero fails."""
    assert BOUNDS[route][size] / 3 < counted[route][size] < BOUNDS[route][size]
