"""Tests that the middle of the largest texts is cut where dropping other messages is not enough."""

from __future__ import annotations

import pytest

from tests.sanitizers.budget.histories import a_round, marks, plan
from tests.support.builders import assistant, call, tool, user


def test_the_largest_results_of_the_newest_round_are_cut_to_one_level() -> None:
    """The cut ends halfway between the high and the low mark, so that the next request needs no further cut."""
    calls = [call("a"), call("b"), call("c")]
    history = [
        user("goal"),
        assistant(None, calls),
        tool("a", "x" * 9_000),
        tool("b", "y" * 2_000),
        tool("c", "z"),
    ]
    done = plan(history, marks(2_000, 800, 2_100))

    assert done.events[0].done == ("middle_cut",)
    assert sorted(done.replaced) == [2]
    assert 1_200 < done.total <= 1_400
    lower = plan(history, marks(800, 400, 900))
    assert sorted(lower.replaced) == [2, 3]
    first, second = (len(lower.replaced[at].message["content"]) for at in (2, 3))
    assert abs(first - second) < 200


def test_user_texts_are_cut_after_results_and_keep_a_thousand_characters() -> None:
    """Every cut text keeps at least a thousand characters."""
    history = [user("g" * 9_000), *a_round(0, 9_000)]
    done = plan(history, marks(1_500, 700, 1_500))

    assert sorted(done.replaced) == [0, 2]
    assert len(done.replaced[2].message["content"]) == pytest.approx(1_150, abs=30)
    assert len(done.replaced[0].message["content"]) > 3_000
    hopeless = plan(history, marks(10, 5, 10))
    assert hopeless.total > 10
    assert all(
        r.message["content"].count("x") + r.message["content"].count("g") >= 1_000
        for r in hopeless.replaced.values()
    )


def test_the_last_user_message_is_cut_by_an_eighth_at_least() -> None:
    """The last user message loses at least an eighth. Its marker is that of a text, not of a tool result."""
    history = [user("goal"), assistant("a"), user("q" * 40_000)]
    done = plan(history, marks(9_990, 5_000, 9_990))
    content = done.replaced[2].message["content"]

    assert "head and tail kept. …]" in content
    assert 0.8 * 40_000 < len(content) <= 7 / 8 * 40_000
