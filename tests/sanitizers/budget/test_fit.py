"""Cutting and repairing together: what is sent, what is told, and that it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sanitizers import Profile, find_violations, sanitize
from sanitizers.budget import PRESETS, Cap, CutInput, FixedTokens, Marks, fit, marks_for
from sanitizers.budget import fit as fitting
from sanitizers.changes import Change
from sanitizers.profiles import GEMINI_1, GEMINI_3_STRICT, OPENAI
from tests.sanitizers.budget.sizes import BALANCED, marks, size, total
from tests.sanitizers.budget.test_replay import a_round, rounds
from tests.support.builders import assistant, call, image, system, tool, user

DROPPING = replace(BALANCED, aged=None, clear=False, middle=False)


def test_within_budget_the_same_object_goes_out() -> None:
    """By default nothing is touched until a request would not fit."""
    history = rounds(8, 50_000)
    done = fit(
        CutInput(history, OPENAI, size), marks_for(PRESETS["balanced"], limit=200_000), PRESETS["balanced"]
    )

    assert done.messages is history
    assert (done.changes, done.events, done.verdict) == ((), (), "fits")
    assert done.tokens_before == done.tokens_after == total(history)


def test_unchanged_messages_are_the_same_objects() -> None:
    """A message that no change names is not copied."""
    history = rounds(20, 1_000)
    done = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), DROPPING)
    same = {id(message) for message in history}

    assert [id(m) in same for m in done.messages] == [True, False] + [True] * (len(done.messages) - 2)
    assert done.messages[1]["content"].startswith("<context_notice>")


def test_the_notice_joins_the_goal_where_two_user_messages_are_refused() -> None:
    """It is one message, reported as merged. It stays one when the user speaks next."""
    history = [user("goal")]
    for number in range(20):
        history += [assistant(f"a{number}" * 100), user(f"u{number}" * 100)]
    done = fit(CutInput(history, GEMINI_1, size), marks(total(history) - 1), DROPPING)

    assert find_violations(done.messages, GEMINI_1) == ()
    assert done.messages[0]["content"].startswith("goal\n\n")
    assert done.messages[0]["content"].count("<context_notice>") == 1
    assert {change.step for change in done.changes if change.kind == "merged"} == {"budget"}


def test_the_notice_stands_before_what_was_not_cut() -> None:
    """Behind what was kept of the dropped rounds."""
    history = [system("s"), user("goal")]
    for number in range(20):
        history += [assistant("a" * 1_000), user(f"u{number}")]
    done = fit(CutInput(history, OPENAI, size), marks(total(history[1:]) - 1), DROPPING)
    at = next(at for at, m in enumerate(done.messages) if "context_notice" in str(m["content"]))

    assert {m["role"] for m in done.messages[1:at]} == {"user"}
    assert len(done.messages[1:at]) > 2
    assert list(done.messages[at + 1 :]) == history[len(history) - len(done.messages) + at + 1 :]


@pytest.mark.parametrize("profile", [OPENAI, GEMINI_1])
def test_a_second_smaller_turnright_counts_on(profile: Profile) -> None:
    """One notice in the end, whether it is a message of its own or part of the goal, with the sum of both."""
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


def test_no_notice_if_it_is_switched_off() -> None:
    """The change list tells the same."""
    history = rounds(20, 1_000)
    told = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), DROPPING)
    silent = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), replace(DROPPING, notice=False))

    assert all("context_notice" not in str(m["content"]) for m in silent.messages)
    assert any(c.kind == "dropped" for c in silent.changes)
    assert len(silent.messages) >= len(told.messages) - 1


def test_changes_name_every_message_by_its_place_at_the_client() -> None:
    """The index is the client's where sanitizing moved messages. No change quotes a text."""
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


def test_signatures_go_with_their_unit_and_arguments_are_never_touched() -> None:
    """A reasoning turn is dropped whole or kept word for word."""
    signed = [
        assistant(
            None, [call(f"c{n}", "f", '{"body": "' + "a" * 900 + '"}')], thinking_blocks=[{"signature": "s"}]
        )
        for n in range(12)
    ]
    history = [user("goal"), *[m for n, turn in enumerate(signed) for m in (turn, tool(f"c{n}", "x" * 900))]]
    done = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), BALANCED)

    assert all(any(m is turn for turn in signed) for m in done.messages if m["role"] == "assistant")


def test_what_cannot_fit_says_where_its_tokens_are() -> None:
    """The verdict is a value, and the parts add up."""
    history = [system("s" * 400), user("g" * 800), *a_round(0, 100), user("q" * 80_000, extra=1)]
    policy = replace(BALANCED, middle=False)
    done = fit(
        CutInput(history, OPENAI, size), Marks(900, 900, 450, 900, tools=300, system=size(history[0])), policy
    )

    assert done.verdict == "over_hard"
    assert done.parts is not None
    assert done.parts.tools == 300
    assert done.parts.system == size(history[0])
    assert done.parts.first_goal == size(history[1])
    assert done.parts.current_round == size(history[-1])
    assert done.parts.whole == done.tokens_after
    assert done.parts.largest[0] == (4, size(history[-1]))
    assert done.tokens_after > 900


@pytest.mark.parametrize(("tools", "words"), [(40_000, 10), (10, 160_000)])
def test_tools_or_a_system_prompt_over_the_window_are_told_apart(tools: int, words: int) -> None:
    """Nothing is cut, since no cut can help, and the parts show what is too large."""
    history = [system("s" * words), *rounds(50, 1_000)]
    budget = marks_for(PRESETS["balanced"], limit=32_768, fixed=FixedTokens(tools, size(history[0])))
    done = fit(CutInput(history, OPENAI, size), budget, PRESETS["balanced"])

    assert done.verdict == "over_hard"
    assert done.messages is history
    assert done.changes == ()
    assert done.parts is not None
    assert max(done.parts.tools, done.parts.system) > 32_768


def test_off_sends_everything_and_refuses_nothing() -> None:
    """The provider's own error comes back."""
    history = rounds(50, 10_000)
    done = fit(CutInput(history, OPENAI, size), marks_for(PRESETS["off"], limit=1_000), PRESETS["off"])

    assert done.messages is history
    assert done.verdict == "fits"


def test_a_repair_that_costs_tokens_is_paid_for_by_another_cut() -> None:
    """A history that was not sanitized: synthesized results bring it over the mark, and a further round makes room."""
    calls = [call(f"m{n}") for n in range(40)]
    history = [*rounds(30, 400), assistant(None, calls), user("next")]
    turns = total(history)
    done = fit(CutInput(history, OPENAI, size), marks(turns - 1, turns - 600, turns - 1), DROPPING)

    assert find_violations(done.messages, OPENAI) == ()
    assert any(change.step == "pairing" for change in done.changes)
    assert done.verdict == "fits"
    assert done.tokens_after <= turns - 1


def test_rounds_end_where_a_repair_undoes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The repair always adds more than was cut. The smallest result is returned."""
    seen: list[int] = []
    real: Callable[..., Any] = fitting.__globals__["run_steps_on"]

    def greedy(entries: Any, profile: Profile) -> Any:
        repaired, changes = real(entries, profile)
        seen.append(len(entries))
        return (*repaired, repaired[-1]._replace(message=user("x" * 40_000 * len(seen)))), changes

    monkeypatch.setitem(fitting.__globals__, "run_steps_on", greedy)
    history = [*rounds(30, 400), user("next"), assistant(None, [call("m")])]
    turns = total(history)
    done = fit(CutInput(history, OPENAI, size), marks(turns - 1, turns // 2, turns - 1), DROPPING)

    assert len(seen) == 2
    assert done.verdict == "over_hard"
    assert 10_000 < done.tokens_after < turns + 11_000


@pytest.mark.parametrize("profile", [OPENAI, GEMINI_1, GEMINI_3_STRICT])
def test_images_survive_or_go_with_their_round(profile: Profile) -> None:
    """Media of the user are never cut out of a message."""
    history = [user([image(), {"type": "text", "text": "g" * 20_000}]), *rounds(10, 2_000)[1:]]
    done = fit(CutInput(history, profile, size), marks(1_500), BALANCED)

    assert image() in done.messages[0]["content"]
    assert find_violations(done.messages, profile) == ()
