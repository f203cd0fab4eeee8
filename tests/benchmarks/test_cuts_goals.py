"""Tests of the goals of ``make bench-cuts``."""

from __future__ import annotations

import pytest

from benchmarks.cuts.goals import SHARES, judge, render
from benchmarks.cuts.provider import Spent
from benchmarks.cuts.summaries import CallTokens


def spent(sent: int, cached: int, *calls: CallTokens) -> Spent:
    """Return the sums of one request."""
    return Spent(1, sent, cached, 1, sent, list(calls))


def verdicts(room: int, **changed: Spent) -> list[bool]:
    """Return whether each goal for *room* is met, where all are met but for what is *changed*."""
    rows = {
        "ours": spent(50_000, 48_000),
        "sliding": spent(60_000, 30_000),
        "compaction": spent(30_000, 29_000),
    }
    return [met for _, met in judge(room, {**rows, **changed})]


def test_all_goals_can_be_met() -> None:
    """At 64,000 there are four goals, and one at each other room."""
    assert {room: verdicts(room) for room in SHARES} == {32_000: [True], 64_000: [True] * 4, 100_000: [True]}


@pytest.mark.parametrize(
    ("changed", "goal"),
    [
        ({"compaction": spent(60_000, 59_000)}, 0),
        ({"compaction": spent(30_000, 29_000, CallTokens(20_000, 700))}, 0),
        ({"compaction": spent(30_000, 28_700)}, 1),
        ({"ours": spent(50_000, 47_000)}, 2),
        ({"sliding": spent(50_000, 48_000)}, 3),
    ],
)
def test_goal_is_missed(changed: dict[str, Spent], goal: int) -> None:
    """Each goal is missed by what it is about. The summaries' cost counts at a fifth of the price."""
    assert not verdicts(64_000, **changed)[goal]


def test_line_of_the_table_has_every_column() -> None:
    """The line has tokens, cached share, breaks, costs in thousands, and the summaries at both prices."""
    line = render("way", Spent(2, 20_000, 15_000, 3, 12_000, [CallTokens(10_000, 600)]))

    assert line == "| way | 10,000 | 12,000 | 75.0% | 3 | 4.4 | 3.2 | 6.50 | 1.30 | 1 |"
