"""Tests that whole tool rounds are dropped, oldest first. Some user and system messages between dropped rounds stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sanitizers.budget import Marks
from sanitizers.budget.markers import notice_message
from sanitizers.budget.replay import plan_cuts
from tests.sanitizers.budget.histories import SMALL, a_round, marks, plan, rounds, size, total
from tests.support.builders import assistant, system, user

DROPPING = replace(SMALL, aged=None, clear=False)
NO_SHARE = replace(DROPPING, kept_users=0)


def test_whole_rounds_are_dropped_oldest_first() -> None:
    """The total with the notice is at most the low mark, and no call loses its result."""
    history = rounds(20, 1_000)
    done = plan(history, marks(total(history) - 1), DROPPING)

    gone = sorted(done.gone)
    assert gone == list(range(1, gone[-1] + 1))
    assert done.cut == gone[-1] + 1
    assert history[done.cut]["role"] == "assistant"
    assert done.noticed == len(gone)
    assert total(history) // 2 - 300 < done.total <= total(history) // 2


def test_first_and_last_user_message_and_newest_round_stay() -> None:
    """The user's first and last messages and the newest round stay, even where they alone are above the low mark."""
    history = [
        system("s" * 4_000),
        user("g" * 2_000),
        *a_round(0, 2_000),
        user("l" * 2_000),
        *a_round(1, 2_000),
        *a_round(2, 2_000),
    ]
    done = plan(history, marks(1_700, 100), NO_SHARE)

    assert sorted(done.gone) == [2, 3, 5, 6]


def test_all_user_messages_of_the_last_turn_stay() -> None:
    """All user messages of the last turn stay, since a client may send context in a separate message."""
    last = [user("CONTEXT: the deadline is today."), user("Now mend B.")]
    history = [user("goal"), *a_round(0, 2_000), *last, *a_round(1, 2_000), *a_round(2, 2_000)]
    done = plan(history, marks(700, 100), NO_SHARE)

    assert sorted(done.gone) == [1, 2, 5, 6]


def test_a_last_message_with_the_text_of_a_step_stays() -> None:
    """If the last user message has the text of a step, the last message that the user wrote stays too."""
    history = [
        user("goal"),
        *a_round(0, 2_000),
        user("Mend B."),
        *a_round(1, 2_000),
        user("Please continue."),
    ]
    history += [*a_round(2, 2_000), *a_round(3, 2_000)]
    done = plan(history, marks(700, 100), NO_SHARE)

    assert sorted(done.gone) == [1, 2, 4, 5, 7, 8]


def test_other_user_messages_stay_up_to_a_share_of_the_low_mark() -> None:
    """The newest of the other user messages stay, up to the share ``kept_users`` of the low mark."""
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


def test_other_user_messages_are_dropped_last() -> None:
    """Other user messages are dropped where the low mark cannot be reached otherwise."""
    history = [user("goal")]
    for number in range(6):
        history += [assistant("a"), user(f"{number}" + "w" * 400)]
    history += a_round(0, 2_000)
    done = plan(history, marks(total(history) - 1, 700), replace(SMALL, kept_users=0.9, middle=False))

    kept = [at for at in range(len(history)) if at not in done.gone]
    assert [history[at]["role"] for at in kept] == ["user", "user", "assistant", "tool"]
    assert done.total < 700 + size(notice_message(12))


def test_the_last_message_of_an_earlier_cut_may_be_dropped_at_the_next() -> None:
    """The next cut may drop the message, since a newer user message has come."""
    history = [user("goal"), *a_round(0, 2_000), user("pinned" + "w" * 400)]
    history += [*a_round(1, 2_000), *a_round(2, 2_000), *a_round(3, 2_000)]
    first = plan(history, marks(1_500, 750), NO_SHARE)
    second = plan(
        [*history, assistant("ok"), user("new"), *a_round(4, 2_000), *a_round(5, 2_000)],
        marks(1_500, 750),
        NO_SHARE,
    )

    assert 3 not in first.gone
    assert first.cut > 3
    assert 3 in second.gone


def test_the_notice_stays_where_it_is_until_something_is_dropped() -> None:
    """A cut that drops no further message is no event, so the notice does not change."""
    history = [user("goal"), *[m for n in range(6) for m in (assistant(f"a{n}"), user(f"u{n}"))]]
    policy = replace(NO_SHARE, middle=False)
    budget = Marks(125, 125, 25, 500)

    def sized(message: dict[str, Any]) -> int:
        return 200 if message["role"] == "tool" else 10

    before = plan_cuts(history, sized, budget, policy)
    after = plan_cuts([*history, *a_round(0, 1)], sized, budget, policy)

    assert [event.index for event in before.events] == [12]
    assert after.total > 125
    assert (before.events, before.cut, before.gone) == (after.events, after.cut, after.gone)
    assert before.cut == 12


def test_a_notice_counts_for_the_low_mark_and_saves_more_than_it_costs() -> None:
    """A notice that costs more than the dropped messages save is left out."""
    history = rounds(20, 200)
    for low in range(300, 700, 20):
        assert plan(history, marks(total(history) - 1, low), DROPPING).total <= low
    short = [user("g"), assistant("a"), user("b" * 400)]
    done = plan(short, marks(total(short) - 1, total(short) - 2), DROPPING)
    assert sorted(done.gone) == [1]
    assert done.noticed == 0


def test_a_new_notice_replaces_that_of_an_earlier_turnright() -> None:
    """The new notice includes the number of the earlier notice. Without a new notice, the earlier notice stays."""
    history = [user("goal"), notice_message(40), *rounds(20, 1_000)[1:]]
    done = plan(history, marks(total(history) - 1), DROPPING)
    twice = plan(history, marks(total(history) // 4), DROPPING)

    assert 1 in done.gone
    assert done.noticed == 40 + len(done.gone) - 1
    assert len(twice.events) > 1
    assert twice.noticed == 40 + len(twice.gone) - 1
    alone = [user("goal" * 100), notice_message(40), user("last" * 100)]
    assert plan(alone, Marks(150, 150, 75, 500), DROPPING).gone == {}


def test_kept_messages_stay_until_the_next_cut() -> None:
    """A new user message alone changes no earlier message."""
    history = rounds(12, 1_000)
    budget = marks(total(history) - 1)
    before = plan(history, budget, DROPPING)
    after = plan([*history, assistant("ok"), user("new")], budget, DROPPING)

    assert (before.gone, before.cut, before.events) == (after.gone, after.cut, after.events)


def test_last_turns_keep_the_newest_turns_and_the_goal() -> None:
    """A turn begins with a user message. Several user messages in a row begin one turn."""
    history = [user("goal"), assistant("a")]
    for number in range(6):
        history += [user(f"q{number}"), *a_round(number, 100), assistant(f"a{number}")]
    history.append(user("q6"))
    done = plan(history, Marks(), replace(SMALL, last_turns=3))

    kept = [m["content"] for at, m in enumerate(history) if at not in done.gone and m["role"] == "user"]
    assert kept == ["goal", "q4", "q5", "q6"]
    assert set(done.gone.values()) == {"last_turns"}
    assert plan(history, Marks(), replace(SMALL, last_turns=8)).gone == {}


def test_last_turns_drop_user_messages_that_a_cut_had_kept() -> None:
    """A cut had kept these user messages as its share of user messages.

    The messages are dropped once their turns are older than the last turns.
    """
    history = [user("goal"), *[m for n in range(4) for m in (user(f"q{n}"), assistant(f"a{n}"))]]
    history += [m for number in range(20) for m in a_round(number, 1_000)]
    policy = replace(DROPPING, last_turns=3, kept_users=0.9)
    budget = marks(total(history) // 2)
    before, after = plan(history, budget, policy), plan([*history, user("q4")], budget, policy)

    assert before.cut > 9
    assert [at in before.gone for at in (1, 3, 5, 7)] == [True, False, False, False]
    assert [at in after.gone for at in (1, 3, 5, 7)] == [True, True, False, False]


def test_system_messages_between_turns_stay() -> None:
    """A system message stays when the rounds around it are dropped."""
    history = [*rounds(6, 1_000), system("later"), *rounds(6, 1_000)[1:]]
    done = plan(history, marks(total(history) - 1), DROPPING)

    assert history.index(system("later")) not in done.gone
    assert done.gone
