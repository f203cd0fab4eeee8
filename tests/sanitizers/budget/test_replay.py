"""The actions of one cut, their order, and the messages that stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sanitizers.budget import Cap, CutPolicy, Marks
from sanitizers.budget.markers import CLEARED, notice_message
from sanitizers.budget.replay import CutPlan, plan_cuts
from tests.sanitizers.budget.sizes import BALANCED, marks, size, total
from tests.support.builders import assistant, call, system, tool, user

SMALL = replace(BALANCED, aged=Cap(400), least_capped=0)


def a_round(number: int, length: int, name: str = "read") -> list[dict[str, Any]]:
    """Return one call with a result of *length* characters."""
    return [assistant(None, [call(f"c{number}", name)]), tool(f"c{number}", "x" * length)]


def rounds(count: int, length: int, name: str = "read") -> list[dict[str, Any]]:
    """Return a goal and *count* rounds with results of *length* characters each."""
    return [user("goal"), *[m for number in range(count) for m in a_round(number, length, name)]]


def plan(history: list[dict[str, Any]], budget: Marks, policy: CutPolicy = SMALL) -> CutPlan:
    """Plan the cuts, and check that the total is that of what is left."""
    done = plan_cuts(history, size, budget, policy)
    left = sum(size(m) for at, m in enumerate(history) if at not in done.gone and at not in done.replaced)
    left += sum(r.tokens for at, r in done.replaced.items() if at not in done.gone)
    left += size(notice_message(done.noticed)) if done.noticed else 0
    lead = 0
    while history[lead]["role"] == "system":
        left -= size(history[lead])
        lead += 1
    assert done.total == left
    return done


def test_nothing_is_cut_at_the_high_mark_and_something_above() -> None:
    """The mark itself still fits."""
    history = rounds(8, 1_000)

    assert plan(history, marks(total(history))).events == ()
    assert len(plan(history, marks(total(history) - 1)).events) == 1


def test_old_results_are_capped_first_oldest_first() -> None:
    """As many are capped as the low mark needs. The newest three rounds are not changed."""
    history = rounds(8, 2_000)
    done = plan(history, marks(total(history) - 1, total(history) - 700))

    assert done.events[0].done == ("tool_result_capped",)
    assert sorted(done.replaced) == [2, 4]
    assert plan(history, marks(total(history) - 1, total(history) // 2)).events[0].index == len(history) - 1


def test_old_results_are_cleared_where_capping_is_not_enough() -> None:
    """They are cleared in one batch, oldest first, to the low mark. Calls stay."""
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


def test_clearing_is_weighed_by_what_capping_left() -> None:
    """Results that were just capped have little left to save."""
    history = [user("goal"), *rounds(8, 4_000)[1:], assistant("a" * 8_000), user("b" * 8_000)]
    history += rounds(3, 100)[1:]
    high = total(history) - 1
    done = plan(history, marks(high, high // 8))

    assert done.events[0].done == ("tool_result_capped",)


def test_whole_rounds_are_dropped_oldest_first() -> None:
    """Down to the low mark, notice included, and no call without its result."""
    history = rounds(20, 1_000)
    policy = replace(SMALL, aged=None, clear=False)
    done = plan(history, marks(total(history) - 1), policy)

    gone = sorted(done.gone)
    assert gone == list(range(1, gone[-1] + 1))
    assert done.cut == gone[-1] + 1
    assert history[done.cut]["role"] == "assistant"
    assert done.noticed == len(gone)
    assert total(history) // 2 - 300 < done.total <= total(history) // 2


def test_rounds_are_kept_where_results_saved_enough() -> None:
    """Nothing is dropped if capping and clearing came at least halfway from the high to the low mark."""
    history = rounds(12, 2_000)
    high = total(history) - 1
    done = plan(history, marks(high, high // 3))

    assert "round_dropped" not in done.events[0].done
    assert high // 3 < done.total <= (high + high // 3) // 2


def test_first_and_last_words_and_the_newest_round_stay() -> None:
    """Even where they alone are above the low mark."""
    history = [
        system("s" * 4_000),
        user("g" * 2_000),
        *a_round(0, 2_000),
        user("l" * 2_000),
        *a_round(1, 2_000),
        *a_round(2, 2_000),
    ]
    done = plan(history, marks(1_700, 100), replace(SMALL, aged=None, clear=False, kept_users=0))

    assert sorted(done.gone) == [2, 3, 5, 6]


def test_the_last_turn_is_all_its_messages() -> None:
    """A client may send what it knows beside what the user wrote."""
    last = [user("CONTEXT: the deadline is today."), user("Now mend B.")]
    history = [user("goal"), *a_round(0, 2_000), *last, *a_round(1, 2_000), *a_round(2, 2_000)]
    done = plan(history, marks(700, 100), replace(SMALL, aged=None, clear=False, kept_users=0))

    assert sorted(done.gone) == [1, 2, 5, 6]


def test_a_user_may_write_the_text_that_a_step_inserts() -> None:
    """The user's own words stay too."""
    history = [
        user("goal"),
        *a_round(0, 2_000),
        user("Mend B."),
        *a_round(1, 2_000),
        user("Please continue."),
    ]
    history += [*a_round(2, 2_000), *a_round(3, 2_000)]
    done = plan(history, marks(700, 100), replace(SMALL, aged=None, clear=False, kept_users=0))

    assert sorted(done.gone) == [1, 2, 4, 5, 7, 8]


def test_a_recent_result_is_capped_before_its_round_is_dropped() -> None:
    """The result is large, and not in the current round. Its round and all others stay."""
    history = [*rounds(12, 400), *a_round(12, 30_000), *a_round(13, 10_000)]
    done = plan(history, marks(10_000, 5_000, 10_500), replace(SMALL, least_capped=200))

    assert [event.done for event in done.events] == [("tool_result_capped",)]
    assert sorted(done.replaced) == [26]
    assert done.gone == {}


def test_nothing_is_dropped_where_that_would_not_help() -> None:
    """A current round above the hard mark by itself is cut in the middle, and the small ones before it stay."""
    history = [*rounds(12, 400), *a_round(12, 80_000)]
    done = plan(history, marks(10_000, 5_000, 10_500), replace(SMALL, least_capped=200))

    assert [event.done for event in done.events] == [("middle_cut",)]
    assert sorted(done.replaced) == [26]
    assert done.gone == {}
    assert 6_000 < done.total <= 7_500


def test_other_words_of_the_user_stay_as_long_as_they_are_few() -> None:
    """The newest, up to a share of the low mark."""
    history = [user("goal")]
    for number in range(12):
        history += [assistant("a" * 1_000), user(f"{number}" + "w" * 100)]
    policy = replace(SMALL, kept_users=0.1)
    done = plan(history, marks(total(history) - 1), policy)
    kept = [at for at in range(1, done.cut) if at not in done.gone]

    assert kept
    assert all(history[at]["role"] == "user" for at in kept)
    assert kept == list(range(kept[0], done.cut, 2))
    assert sum(size(history[at]) for at in kept) <= (total(history) - 1) // 20
    assert plan(history, marks(total(history) - 1), replace(policy, kept_users=0)).gone.keys() >= set(kept)


def test_other_words_go_where_the_low_mark_asks_for_it() -> None:
    """They are the last to be dropped before what must be kept, whatever share they may have."""
    history = [user("goal")]
    for number in range(6):
        history += [assistant("a"), user(f"{number}" + "w" * 400)]
    history += a_round(0, 2_000)
    done = plan(history, marks(total(history) - 1, 700), replace(SMALL, kept_users=0.9, middle=False))

    kept = [at for at in range(len(history)) if at not in done.gone]
    assert [history[at]["role"] for at in kept] == ["user", "user", "assistant", "tool"]
    assert done.total < 700 + size(notice_message(12))


def test_the_last_words_of_an_earlier_cut_are_old_words_at_the_next() -> None:
    """Messages that were pinned then are dropped when newer ones have come and room is needed."""
    history = [user("goal"), *a_round(0, 2_000), user("pinned" + "w" * 400)]
    history += [*a_round(1, 2_000), *a_round(2, 2_000), *a_round(3, 2_000)]
    policy = replace(SMALL, aged=None, clear=False, kept_users=0)
    first = plan(history, marks(1_500, 750), policy)
    second = plan(
        [*history, assistant("ok"), user("new"), *a_round(4, 2_000), *a_round(5, 2_000)],
        marks(1_500, 750),
        policy,
    )

    assert 3 not in first.gone
    assert first.cut > 3
    assert 3 in second.gone


def test_the_notice_stays_where_it_is_until_something_is_dropped() -> None:
    """A cut that passes only what stays is no event, and moves nothing."""
    history = [user("goal"), *[m for n in range(6) for m in (assistant(f"a{n}"), user(f"u{n}"))]]
    policy = replace(SMALL, aged=None, clear=False, kept_users=0, middle=False)
    budget = Marks(125, 125, 25, 500)

    def sized(message: dict[str, Any]) -> int:
        return 200 if message["role"] == "tool" else 10

    before = plan_cuts(history, sized, budget, policy)
    after = plan_cuts([*history, *a_round(0, 1)], sized, budget, policy)

    assert [event.index for event in before.events] == [12]
    assert after.total > 125
    assert (before.events, before.cut, before.gone) == (after.events, after.cut, after.gone)
    assert before.cut == 12


def test_a_notice_counts_before_it_is_shown_and_is_shown_only_if_it_pays() -> None:
    """The low mark is kept with the notice in it, and what was dropped is more than the notice adds."""
    history = rounds(20, 200)
    policy = replace(SMALL, aged=None, clear=False)
    for low in range(300, 700, 20):
        assert plan(history, marks(total(history) - 1, low), policy).total <= low
    short = [user("g"), assistant("a"), user("b" * 400)]
    done = plan(short, marks(total(short) - 1, total(short) - 2), policy)
    assert sorted(done.gone) == [1]
    assert done.noticed == 0


def test_an_earlier_turnrights_notice_is_counted_on() -> None:
    """It goes when this one has something to tell, and only then."""
    history = [user("goal"), notice_message(40), *rounds(20, 1_000)[1:]]
    policy = replace(SMALL, aged=None, clear=False)
    done = plan(history, marks(total(history) - 1), policy)
    twice = plan(history, marks(total(history) // 4), policy)

    assert 1 in done.gone
    assert done.noticed == 40 + len(done.gone) - 1
    assert len(twice.events) > 1
    assert twice.noticed == 40 + len(twice.gone) - 1
    alone = [user("goal" * 100), notice_message(40), user("last" * 100)]
    assert plan(alone, Marks(150, 150, 75, 500), policy).gone == {}


def test_pins_stay_until_the_next_cut() -> None:
    """A new message of the user does not move what was kept at the cut before."""
    history = rounds(12, 1_000)
    budget = marks(total(history) - 1)
    before = plan(history, budget, replace(SMALL, aged=None, clear=False))
    after = plan([*history, assistant("ok"), user("new")], budget, replace(SMALL, aged=None, clear=False))

    assert (before.gone, before.cut, before.events) == (after.gone, after.cut, after.events)


def test_the_middle_of_the_largest_is_cut_when_nothing_else_is_left() -> None:
    """The newest round's results down to one level, and halfway down, so that the next cut is not the next request."""
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


def test_the_users_words_are_cut_after_the_results_and_never_below_a_thousand() -> None:
    """At least a thousand characters are left of each."""
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


def test_the_users_last_words_are_cut_like_the_first() -> None:
    """Down to one level, an eighth at least, with the marker of a text."""
    history = [user("goal"), assistant("a"), user("q" * 40_000)]
    done = plan(history, marks(9_990, 5_000, 9_990))
    content = done.replaced[2].message["content"]

    assert "head and tail kept. …]" in content
    assert 0.8 * 40_000 < len(content) <= 7 / 8 * 40_000


def test_a_hard_mark_below_the_high_one_counts() -> None:
    """A request above the hard mark is cut, whatever the high mark is."""
    history = rounds(20, 1_000)
    turns = total(history)
    done = plan(history, Marks(turns, turns, turns // 2, turns - 1))

    assert len(done.events) == 1


def test_nothing_is_replaced_by_something_larger() -> None:
    """Many short lines within a cap can have more tokens than they had before, marker included."""
    history = [user("goal"), *a_round(0, 9_000), *a_round(1, 9_000), *a_round(2, 9_000), *a_round(3, 9_000)]
    history[2] = tool("c0", "a\n" * 40)
    done = plan(
        history, marks(total(history) - 1), replace(SMALL, aged=Cap(400, lines=4), clear=False, drop=False)
    )

    assert done.replaced == {}


def test_what_last_turns_dropped_is_not_cut_again() -> None:
    """A result that is gone is neither capped nor cleared by a later cut."""
    turns = [[user(f"q{n}"), *rounds(4, 3_000)[1:], assistant("a")] for n in range(4)]
    history = [m for turn in turns for m in turn]
    plan(history, marks(8_000, 100), replace(SMALL, last_turns=1, recent=0))
    plan(history, marks(2_500, 2_000), replace(SMALL, last_turns=1, recent=1))


def test_between_high_and_hard_no_middle_is_cut() -> None:
    """A request above the high mark alone can still be sent."""
    history = [user("g" * 9_000)]
    tokens = total(history)

    assert plan(history, marks(tokens - 10, 100, tokens)).events == ()
    assert plan(history, Marks(tokens - 10, tokens - 10, 100, None)).events[0].done == ("middle_cut",)


def test_excluded_tools_are_never_capped_or_cleared() -> None:
    """But their rounds can be dropped."""
    history = rounds(12, 2_000, name="skill")
    policy = replace(SMALL, excluded_tools=frozenset({"skill"}), ingest=Cap(400))
    done = plan(history, marks(total(history) - 1), policy)

    assert done.replaced == {}
    assert done.gone


def test_a_cap_at_once_needs_no_budget() -> None:
    """Every result is capped, the newest too. The marker counts from the original."""
    history = rounds(2, 2_000)
    done = plan(history, Marks(), replace(SMALL, ingest=Cap(500)))

    assert sorted(done.replaced) == [2, 4]
    assert done.events == ()
    assert "of 2000 characters" in done.replaced[2].message["content"]


def test_a_result_capped_at_once_is_capped_from_the_original_when_it_is_old() -> None:
    """One marker, and it counts from what the client sent."""
    history = rounds(6, 9_000)
    policy = replace(SMALL, ingest=Cap(2_000), clear=False)
    done = plan(history, marks(2_400, 2_200), policy)
    contents = [r.message["content"] for r in done.replaced.values()]

    assert {len(c) for c in contents} == {len(contents[0]), len(contents[-1])}
    assert len(contents[0]) <= 400 < len(contents[-1])
    assert all(c.count("of 9000 characters") == 1 for c in contents)


def test_last_turns_keep_the_newest_turns_and_the_goal() -> None:
    """A turn begins with the user's words. Several user messages in a row begin one turn."""
    history = [user("goal"), assistant("a")]
    for number in range(6):
        history += [user(f"q{number}"), *a_round(number, 100), assistant(f"a{number}")]
    history.append(user("q6"))
    done = plan(history, Marks(), replace(SMALL, last_turns=3))

    kept = [m["content"] for at, m in enumerate(history) if at not in done.gone and m["role"] == "user"]
    assert kept == ["goal", "q4", "q5", "q6"]
    assert set(done.gone.values()) == {"last_turns"}
    assert plan(history, Marks(), replace(SMALL, last_turns=8)).gone == {}


def test_last_turns_go_for_words_that_a_cut_had_kept() -> None:
    """Words of turns that are too old now, though the cut for the budget went further than the turns' own."""
    history = [user("goal"), *[m for n in range(4) for m in (user(f"q{n}"), assistant(f"a{n}"))]]
    history += [m for number in range(20) for m in a_round(number, 1_000)]
    policy = replace(SMALL, aged=None, clear=False, last_turns=3, kept_users=0.9)
    budget = marks(total(history) // 2)
    before, after = plan(history, budget, policy), plan([*history, user("q4")], budget, policy)

    assert before.cut > 9
    assert [at in before.gone for at in (1, 3, 5, 7)] == [True, False, False, False]
    assert [at in after.gone for at in (1, 3, 5, 7)] == [True, True, False, False]


def test_prefill_is_cut_only_if_it_cannot_be_sent() -> None:
    """The model's own words at the end are no place to cut, unless the hard mark is passed."""
    history = [*rounds(8, 1_000), assistant("p" * 1_000)]
    turns = total(history)

    assert plan(history, Marks(turns, turns - 100, turns // 2, turns)).events == ()
    assert len(plan(history, Marks(turns, turns - 100, turns // 2, turns - 1)).events) == 1


def test_system_messages_between_turns_stay() -> None:
    """They instruct, wherever they stand."""
    history = [*rounds(6, 1_000), system("later"), *rounds(6, 1_000)[1:]]
    done = plan(history, marks(total(history) - 1), replace(SMALL, aged=None, clear=False))

    assert history.index(system("later")) not in done.gone
    assert done.gone
