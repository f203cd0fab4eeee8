"""Tests that a plan becomes messages and a list of changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sanitizers import Profile, find_violations, sanitize
from sanitizers.budget import Cap, CutInput, fit
from sanitizers.changes import Change
from sanitizers.gemini_profiles import GEMINI_1
from sanitizers.profiles import OPENAI
from tests.sanitizers.budget.histories import BALANCED, marks, rounds, size, total
from tests.support.builders import assistant, system, tool, user

DROPPING = replace(BALANCED, aged=None, clear=False, middle=False)


def test_unchanged_messages_are_the_same_objects() -> None:
    """A message that no change names is not copied."""
    history = rounds(20, 1_000)
    done = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), DROPPING)
    same = {id(message) for message in history}

    assert [id(m) in same for m in done.messages] == [True, False] + [True] * (len(done.messages) - 2)
    assert done.messages[1]["content"].startswith("<context_notice>")


def test_the_notice_joins_the_goal_where_two_user_messages_are_refused() -> None:
    """A change of the step ``budget`` reports that messages were merged."""
    history = [user("goal")]
    for number in range(20):
        history += [assistant(f"a{number}" * 100), user(f"u{number}" * 100)]
    done = fit(CutInput(history, GEMINI_1, size), marks(total(history) - 1), DROPPING)

    assert find_violations(done.messages, GEMINI_1) == ()
    assert done.messages[0]["content"].startswith("goal\n\n")
    assert done.messages[0]["content"].count("<context_notice>") == 1
    assert {change.step for change in done.changes if change.kind == "merged"} == {"budget"}


def test_the_notice_follows_the_kept_messages_of_dropped_rounds() -> None:
    """Only user messages stay between the system message and the notice. All later messages are unchanged."""
    history = [system("s"), user("goal")]
    for number in range(20):
        history += [assistant("a" * 1_000), user(f"u{number}")]
    done = fit(CutInput(history, OPENAI, size), marks(total(history[1:]) - 1), DROPPING)
    at = next(at for at, m in enumerate(done.messages) if "context_notice" in str(m["content"]))

    assert {m["role"] for m in done.messages[1:at]} == {"user"}
    assert len(done.messages[1:at]) > 2
    assert list(done.messages[at + 1 :]) == history[len(history) - len(done.messages) + at + 1 :]


@pytest.mark.parametrize("profile", [OPENAI, GEMINI_1])
def test_a_second_smaller_turnright_leaves_one_notice_with_the_sum(profile: Profile) -> None:
    """The first cut's notice is a message of its own for OpenAI, and part of the goal for Gemini 1."""
    history = rounds(40, 1_000)
    first = fit(CutInput(history, profile, size), marks(total(history) - 1), DROPPING)
    second = fit(CutInput(first.messages, profile, size), marks(first.tokens_after // 2), DROPPING)
    gone = [sum(c.kind == "dropped" for c in done.changes) for done in (first, second)]
    notices = [c for c in second.changes if c.detail == "notice"]
    sent = str(second.messages)

    own = profile is OPENAI  # there the first notice is a message, and among the dropped
    assert sent.count("<context_notice>") == 1
    assert f"<context_notice>{sum(gone) - own} earlier messages" in sent
    assert len(notices) == (1 if own else 2)


def test_a_policy_without_notices_adds_none() -> None:
    """Without a notice, the change list still names the dropped messages."""
    history = rounds(20, 1_000)
    told = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), DROPPING)
    silent = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), replace(DROPPING, notice=False))

    assert all("context_notice" not in str(m["content"]) for m in silent.messages)
    assert any(c.kind == "dropped" for c in silent.changes)
    assert len(silent.messages) >= len(told.messages) - 1


def test_changes_name_every_message_by_its_place_at_the_client() -> None:
    """Sanitizing had moved the messages, but the changes have the client's indexes."""
    history = [tool("gone", "orphan"), *rounds(12, 2_000)]
    legal = sanitize(history, OPENAI)
    policy = replace(BALANCED, aged=Cap(1_500), clear=False)
    done = fit(CutInput(legal.messages, OPENAI, size, legal.origins), marks(3_000, 2_000), policy)

    assert Change("budget", "dropped", 2, "round_dropped", "assistant") in done.changes
    assert Change("budget", "dropped", 3, "round_dropped", "tool") in done.changes
    assert {c.reason for c in done.changes} <= {
        "tool_result_capped",
        "tool_result_cleared",
        "round_dropped",
        "middle_cut",
        "last_turns",
    }
    assert done.removed["round_dropped"].messages == sum(c.kind == "dropped" for c in done.changes)
    assert sum(removed.tokens for removed in done.removed.values()) > done.tokens_before - done.tokens_after
