"""Tests of the actions of one cut, their order, and the messages that stay."""

from __future__ import annotations

from dataclasses import replace

from sanitizers.budget import Marks
from tests.sanitizers.budget.histories import SMALL, a_round, marks, plan, rounds, total
from tests.support.builders import assistant, user


def test_a_history_is_cut_above_the_high_mark_alone() -> None:
    """A history with exactly as many tokens as the high mark is not cut."""
    history = rounds(8, 1_000)

    assert plan(history, marks(total(history))).events == ()
    assert len(plan(history, marks(total(history) - 1)).events) == 1


def test_rounds_are_kept_where_results_saved_enough() -> None:
    """Rounds are kept if capping and clearing tool results reaches halfway from the high to the low mark."""
    history = rounds(12, 2_000)
    high = total(history) - 1
    done = plan(history, marks(high, high // 3))

    assert "round_dropped" not in done.events[0].done
    assert high // 3 < done.total <= (high + high // 3) // 2


def test_a_current_round_above_the_hard_mark_is_cut_before_rounds_are_dropped() -> None:
    """Dropping the small rounds before the current round would not help."""
    history = [*rounds(12, 400), *a_round(12, 80_000)]
    done = plan(history, marks(10_000, 5_000, 10_500), replace(SMALL, least_capped=200))

    assert [event.done for event in done.events] == [("middle_cut",)]
    assert sorted(done.replaced) == [26]
    assert done.gone == {}
    assert 6_000 < done.total <= 7_500


def test_a_history_above_a_hard_mark_below_the_high_mark_is_cut() -> None:
    """The lower of the high and the hard mark decides whether a history is cut."""
    history = rounds(20, 1_000)
    turns = total(history)
    done = plan(history, Marks(turns, turns, turns // 2, turns - 1))

    assert len(done.events) == 1


def test_between_high_and_hard_no_middle_is_cut() -> None:
    """A request between the high and the hard mark can still be sent. Without a hard mark, the middle is cut."""
    history = [user("g" * 9_000)]
    tokens = total(history)

    assert plan(history, marks(tokens - 10, 100, tokens)).events == ()
    assert plan(history, Marks(tokens - 10, tokens - 10, 100, None)).events[0].done == ("middle_cut",)


def test_prefill_is_cut_only_if_it_cannot_be_sent() -> None:
    """A history that ends with an assistant message is cut only above the hard mark."""
    history = [*rounds(8, 1_000), assistant("p" * 1_000)]
    turns = total(history)

    assert plan(history, Marks(turns, turns - 100, turns // 2, turns)).events == ()
    assert len(plan(history, Marks(turns, turns - 100, turns // 2, turns - 1)).events) == 1
