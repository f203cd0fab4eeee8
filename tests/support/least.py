"""Repeats wall-clock measurements, because the machine may pause during one measurement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

_RUNS = 3


async def least_of(measure: Callable[[], Awaitable[float]], bound: float) -> float:
    """Return the first measurement below *bound*, or the least of three if none is below."""
    least = float("inf")
    for _ in range(_RUNS):
        least = min(least, await measure())
        if least < bound:
            break
    return least
