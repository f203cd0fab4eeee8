"""Tests that old tool results are capped, and then cleared, oldest first."""

from __future__ import annotations

from dataclasses import replace

from sanitizers.budget import Cap, Marks
from sanitizers.budget.markers import CLEARED
from tests.sanitizers.budget.histories import SMALL, a_round, marks, plan, rounds, total
from tests.support.builders import assistant, user


def test_old_results_are_capped_first_oldest_first() -> None:
    """Capping ends at the low mark. The newest three rounds are not changed."""
    history = rounds(8, 2_000)
    done = plan(history, marks(total(history) - 1, total(history) - 700))

    assert done.events[0].done == ("tool_result_capped",)
    assert sorted(done.replaced) == [2, 4]
    assert plan(history, marks(total(history) - 1, total(history) // 2)).events[0].index == len(history) - 1


def test_old_results_are_cleared_where_capping_is_not_enough() -> None:
    """Old results are cleared in one batch, oldest first. Their calls stay."""
    history = rounds(12, 2_000)
    done = plan(history, marks(total(history) - 1, total(history) // 2), replace(SMALL, aged=None))

    assert done.events[0].done == ("tool_result_cleared",)
    cleared = sorted(done.replaced)
    assert cleared == list(range(2, cleared[-1] + 1, 2))
    assert all(r.message["content"] == CLEARED for r in done.replaced.values())
    assert done.total <= total(history) // 2
    assert done.gone == {}


def test_clearing_is_not_done_for_a_small_gain() -> None:
    """A cut breaks the cached prefix. Rounds are dropped at once where clearing saves little."""
    history = [
        user("goal"),
        *a_round(0, 800),
        assistant("a" * 4_000),
        user("b" * 4_000),
        *rounds(3, 2_000)[1:],
    ]
    done = plan(history, marks(total(history) - 1), replace(SMALL, aged=None))

    assert done.events[0].done == ("round_dropped",)
    assert done.replaced == {}


def test_capped_results_are_not_cleared_for_a_small_gain() -> None:
    """Results that were just capped are not cleared too, since few of their tokens are left."""
    history = [user("goal"), *rounds(8, 4_000)[1:], assistant("a" * 8_000), user("b" * 8_000)]
    history += rounds(3, 100)[1:]
    high = total(history) - 1
    done = plan(history, marks(high, high // 8))

    assert done.events[0].done == ("tool_result_capped",)


def test_a_recent_result_is_capped_before_its_round_is_dropped() -> None:
    """A large result that is recent, but not in the current tool round, is capped. All rounds stay."""
    history = [*rounds(12, 400), *a_round(12, 30_000), *a_round(13, 10_000)]
    done = plan(history, marks(10_000, 5_000, 10_500), replace(SMALL, least_capped=200))

    assert [event.done for event in done.events] == [("tool_result_capped",)]
    assert sorted(done.replaced) == [26]
    assert done.gone == {}


def test_results_dropped_by_last_turns_are_not_cut_again() -> None:
    """The plan's total stays exact, since no result is both dropped by ``last_turns`` and cut."""
    turns = [[user(f"q{n}"), *rounds(4, 3_000)[1:], assistant("a")] for n in range(4)]
    history = [m for turn in turns for m in turn]
    plan(history, marks(8_000, 100), replace(SMALL, last_turns=1, recent=0))
    plan(history, marks(2_500, 2_000), replace(SMALL, last_turns=1, recent=1))


def test_excluded_tools_are_never_capped_or_cleared() -> None:
    """The rounds of excluded tools can still be dropped."""
    history = rounds(12, 2_000, name="skill")
    policy = replace(SMALL, excluded_tools=frozenset({"skill"}), ingest=Cap(400))
    done = plan(history, marks(total(history) - 1), policy)

    assert done.replaced == {}
    assert done.gone


def test_a_cap_at_once_needs_no_budget() -> None:
    """The cap for new results (``ingest``) needs no budget and caps every result, the newest too."""
    history = rounds(2, 2_000)
    done = plan(history, Marks(), replace(SMALL, ingest=Cap(500)))

    assert sorted(done.replaced) == [2, 4]
    assert done.events == ()
    assert "of 2000 characters" in done.replaced[2].message["content"]


def test_a_result_capped_at_once_is_capped_from_the_original_when_it_is_old() -> None:
    """Each result has one marker, whose numbers are those of the client's content."""
    history = rounds(6, 9_000)
    policy = replace(SMALL, ingest=Cap(2_000), clear=False)
    done = plan(history, marks(2_400, 2_200), policy)
    contents = [r.message["content"] for r in done.replaced.values()]

    assert {len(c) for c in contents} == {len(contents[0]), len(contents[-1])}
    assert len(contents[0]) <= 400 < len(contents[-1])
    assert all(c.count("of 9000 characters") == 1 for c in contents)
