"""Tests that cuts neither drop nor shorten a pinned message. Messages are pinned by identity."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Profile, find_violations, sanitize
from sanitizers.budget import CutInput, CutPolicy, Fitted, Marks, fit
from sanitizers.budget.markers import notice_message
from sanitizers.profiles import OPENAI
from tests.sanitizers.budget.histories import BALANCED, a_round, marks, rounds, size, total
from tests.sanitizers.budget.test_fit_properties import budgets, calls_and_results, policies, profiles
from tests.support.builders import user
from tests.support.strategies.sessions import sessions

History = list[dict[str, Any]]

DROPPING = replace(BALANCED, aged=None, clear=False)


def with_memory(length: int = 400, count: int = 20) -> tuple[History, dict[str, Any]]:
    """Return a goal, a memory of *length* characters and *count* rounds. Return the memory too."""
    memory = user("m" * length)
    goal, *others = rounds(count, 1_000)
    return [goal, memory, *others], memory


def test_a_pinned_message_is_not_dropped() -> None:
    """Without pinning, the message is one of the user's older messages, and is dropped."""
    history, memory = with_memory()
    policy = replace(DROPPING, kept_users=0)
    history = [*history, user("Go on."), *a_round(99, 1_000)]
    budget = marks(total(history) - 1)

    loose = fit(CutInput(history, OPENAI, size), budget, policy)
    pinned = fit(CutInput(history, OPENAI, size, pinned=(memory,)), budget, policy)

    assert memory not in loose.messages
    assert any(message is memory for message in pinned.messages)
    assert pinned.verdict == "fits"


def test_an_equal_message_is_not_pinned() -> None:
    """A client that writes the pinned message's text has its message dropped."""
    history, memory = with_memory()
    copied = dict(memory)
    history = [*history, copied, *rounds(20, 1_000)[1:], user("Go on."), *a_round(99, 1_000)]
    done = fit(
        CutInput(history, OPENAI, size, pinned=(memory,)),
        marks(total(history) // 4),
        replace(DROPPING, kept_users=0),
    )

    assert [message for message in done.messages if message == memory] == [memory]
    assert any(message is memory for message in done.messages)


def test_the_middle_of_a_pinned_message_stays() -> None:
    """The user's own long text is cut instead, and the verdict says where that does not suffice."""
    memory = user("m" * 8_000)
    history = [user("g" * 8_000), memory, *a_round(0, 400)]
    cut = fit(CutInput(history, OPENAI, size, pinned=(memory,)), marks(3_000), BALANCED)
    over = fit(CutInput(history, OPENAI, size, pinned=(memory,)), marks(1_000), BALANCED)

    assert cut.verdict == "fits"
    assert len(cut.messages[0]["content"]) < 8_000
    assert cut.messages[1] is memory
    assert over.verdict == "over_hard"


def test_a_goal_that_is_pinned_is_still_the_goal() -> None:
    """A pinned first message takes the place of the goal, so that no other user message counts as one."""
    goal, second = user("goal " * 100), user("second " * 100)
    history = [goal, *a_round(0, 1_000), second, *rounds(20, 1_000)[1:], user("Go on."), *a_round(99, 1_000)]
    done = fit(
        CutInput(history, OPENAI, size, pinned=(goal,)),
        marks(total(history) - 1),
        replace(DROPPING, kept_users=0),
    )

    assert done.messages[0] is goal
    assert second not in done.messages


def test_a_policy_of_turns_keeps_a_pinned_message() -> None:
    """The last two turns of the user are kept, with the goal and the pinned message behind it."""
    memory = user("m" * 400)
    turns = [[user(f"turn {at}"), *a_round(at, 100)] for at in range(4)]
    history = [user("goal"), memory, *(message for turn in turns for message in turn)]
    done = fit(
        CutInput(history, OPENAI, size, pinned=(memory,)),
        Marks(),
        CutPolicy("turns", last_turns=2, drop=False),
    )

    assert history[:2] == [user("goal"), memory]
    assert list(done.messages) == [user("goal"), memory, notice_message(6), *turns[2], *turns[3]]


def test_a_notice_within_a_pinned_message_stays() -> None:
    """A notice of another turnright proxy is taken out of a client's message, and not out of a pinned one."""
    memory = user(f"Before.\n\n{notice_message(7)['content']}\n\nAfter.")
    history, _ = with_memory()
    history[1] = memory
    done = fit(CutInput(history, OPENAI, size, pinned=(memory,)), marks(total(history) - 1), DROPPING)

    assert any(message is memory for message in done.messages)


class Cut(NamedTuple):
    """A sanitized history with a memory of this *text*, and the result of cutting it for a profile."""

    legal: History
    done: Fitted
    profile: Profile
    text: str


def cut(history: History, profile: Profile, budget: Marks, policy: CutPolicy) -> Cut:
    """Return the result of cutting *history* with a memory behind its goal.

    Where a step joined the memory to the goal, the joined message is pinned.
    """
    text = "§memory§ " * 40
    goal = next(at for at, message in enumerate(history) if message["role"] == "user")
    given = [*history[: goal + 1], user(text), *history[goal + 1 :]]
    legal = list(sanitize(given, profile).messages)
    holder = next(message for message in legal if text in str(message.get("content")))
    return Cut(legal, fit(CutInput(legal, profile, size, pinned=(holder,)), budget, policy), profile, text)


@given(st.builds(cut, sessions(max_rounds=12), profiles, budgets, policies))
def test_a_cut_history_is_legal_and_keeps_the_whole_memory(made: Cut) -> None:
    """Each call has its result, and the memory's text is there to the last character."""
    sent = list(made.done.messages)
    calls, results = calls_and_results(sent)

    assert find_violations(sent, made.profile) == ()
    assert Counter(calls) == Counter(results)
    assert sum(str(message.get("content")).count(made.text) for message in sent) == 1
