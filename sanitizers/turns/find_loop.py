"""Find rounds that repeat: cycles of one to three rounds, with the same calls and the same results each time.

A repeated call whose result changes is polling, not a loop. An agent that waits for a build has a good reason to repeat
a call. So mode ``warn`` only reports a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sanitizers.turns.rounds import Round

PERIODS = (1, 2, 3)
"""Lengths of a cycle in rounds. A, B, A, B is a cycle of two."""


class Loop(NamedTuple):
    """A cycle of *period* rounds that was made *times* in a row.

    *times* counts at most one more than the repetitions that make a loop.
    """

    period: int
    times: int
    is_new: bool
    """True where the newest round completed the repetitions that make a loop."""

    goes_on: bool
    """True where the cycle was completed at least once more after it became a loop."""


def find_beginnings(rounds: Sequence[Round], repeats: int) -> Iterator[tuple[int, Loop]]:
    """Yield the index of each round that makes a loop, with the loop that :func:`find_loop` would return there."""
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
    """Return the loop that ends with ``rounds[at]``: a cycle *repeats* times in a row (at least 2), or None."""
    for period in PERIODS:
        least = (repeats - 1) * period
        run = _run_length(rounds, at, period, repeats * period)
        if run >= least:
            return Loop(period, run // period + 1, run == least, run >= least + period)
    return None


def _run_length(rounds: Sequence[Round], at: int, period: int, most: int) -> int:
    """Count the rounds in a row, back from *at*, that equal the round *period* rounds earlier, up to *most*."""
    run = 0
    while run < most and at - run - period >= 0 and rounds[at - run].repeats(rounds[at - run - period]):
        run += 1
    return run
