"""The cost of a request, bounded by the calls that Python makes for it.

The bounds are 15 % above what was counted (CPython 3.11, ``python -m benchmarks.gateway.calls``; two runs differ by
less than 1 %). They are there to find a step that is taken twice, or a cache that never hits; a bound is raised with
the feature that is worth it.
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
    """Bounded, and far above none: a count of nothing would hold every bound."""
    assert BOUNDS[route][size] / 3 < counted[route][size] < BOUNDS[route][size]
