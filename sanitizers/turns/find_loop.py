"""Rounds that repeat themselves: cycles of one to three rounds, with the same calls and the same results each time.

A call whose result changes is no loop: that is polling. Waiting for a build repeats itself honestly, which is why mode
``warn`` only tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sanitizers.turns.rounds import Round

PERIODS = (1, 2, 3)
"""Rounds of a cycle. A, B, A, B is one of two (lango saw only A, A)."""


class Loop(NamedTuple):
    """A loop that a round stands at the end of: a cycle of *period* rounds, *times* over."""

    period: int
    times: int
    is_new: bool
    """Whether it has become one with this very round."""

    goes_on: bool
    """Whether the cycle was gone through once more since."""


def find_beginnings(rounds: Sequence[Round], repeats: int) -> Iterator[tuple[int, Loop]]:
    """Yield each round with which a loop becomes one, by its place, as :func:`find_loop` finds it there."""
    runs = dict.fromkeys(PERIODS, 0)
    for at, one in enumerate(rounds):
        for period in PERIODS:
            runs[period] = runs[period] + 1 if at >= period and one.repeats(rounds[at - period]) else 0
        for period in PERIODS:
            least = (repeats - 1) * period
            if runs[period] >= least:
                if runs[period] == least:
                    yield at, Loop(period, repeats, is_new=True, goes_on=False)
                break


def find_loop(rounds: Sequence[Round], at: int, repeats: int) -> Loop | None:
    """Return the loop at whose end ``rounds[at]`` stands: a cycle *repeats* times in a row (at least 2); else None."""
    for period in PERIODS:
        least = (repeats - 1) * period
        run = _run_length(rounds, at, period, repeats * period)
        if run >= least:
            return Loop(period, run // period + 1, run == least, run >= least + period)
    return None


def _run_length(rounds: Sequence[Round], at: int, period: int, most: int) -> int:
    """Return how many rounds up to *at* repeat the one *period* before them, counted to *most*."""
    run = 0
    while run < most and at - run - period >= 0 and rounds[at - run].repeats(rounds[at - run - period]):
        run += 1
    return run
