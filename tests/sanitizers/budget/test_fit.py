"""Tests of cutting and repairing together: the messages, the verdict, and when cutting ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sanitizers import Profile, find_violations
from sanitizers.budget import PRESETS, CutInput, FixedTokens, Marks, fit, marks_for
from sanitizers.budget import fit as fitting
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_3_STRICT
from sanitizers.profiles import OPENAI
from tests.sanitizers.budget.histories import BALANCED, a_round, marks, rounds, size, total
from tests.support.builders import assistant, call, image, system, tool, user

DROPPING = replace(BALANCED, aged=None, clear=False, middle=False)


def test_signatures_go_with_their_unit_and_arguments_are_never_touched() -> None:
    """A turn with reasoning is dropped whole or kept word for word, so that its signature stays valid."""
    signed = [
        assistant(
            None, [call(f"c{n}", "f", '{"body": "' + "a" * 900 + '"}')], thinking_blocks=[{"signature": "s"}]
        )
        for n in range(12)
    ]
    history = [user("goal"), *[m for n, turn in enumerate(signed) for m in (turn, tool(f"c{n}", "x" * 900))]]
    done = fit(CutInput(history, OPENAI, size), marks(total(history) - 1), BALANCED)

    assert all(any(m is turn for turn in signed) for m in done.messages if m["role"] == "assistant")


def test_a_verdict_over_the_hard_mark_lists_the_tokens_by_part() -> None:
    """A verdict over the hard mark lists the tokens by part, and the parts add up to the request."""
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
def test_tools_and_system_prompt_over_the_window_are_separate_parts(tools: int, words: int) -> None:
    """Tools and a system prompt over the window cannot be cut, so that the history stays unchanged.

    Both are listed as parts.
    """
    history = [system("s" * words), *rounds(50, 1_000)]
    budget = marks_for(PRESETS["balanced"], limit=32_768, fixed=FixedTokens(tools, size(history[0])))
    done = fit(CutInput(history, OPENAI, size), budget, PRESETS["balanced"])

    assert done.verdict == "over_hard"
    assert done.messages is history
    assert done.changes == ()
    assert done.parts is not None
    assert max(done.parts.tools, done.parts.system) > 32_768


def test_a_repair_that_adds_tokens_causes_another_cut() -> None:
    """A repair that adds tokens causes another cut.

    Here synthesized results bring the history over the mark.
    """
    calls = [call(f"m{n}") for n in range(40)]
    history = [*rounds(30, 400), assistant(None, calls), user("next")]
    turns = total(history)
    done = fit(CutInput(history, OPENAI, size), marks(turns - 1, turns - 600, turns - 1), DROPPING)

    assert find_violations(done.messages, OPENAI) == ()
    assert any(change.step == "pairing" for change in done.changes)
    assert done.verdict == "fits"
    assert done.tokens_after <= turns - 1


def test_cutting_ends_where_a_repair_adds_more_than_was_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts end once a repair adds more than was cut, and the smallest result is returned."""
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
def test_images_of_a_user_message_are_never_cut_out(profile: Profile) -> None:
    """Images of a user message are never cut out. The text beside an image is cut."""
    history = [user([image(), {"type": "text", "text": "g" * 20_000}]), *rounds(10, 2_000)[1:]]
    done = fit(CutInput(history, profile, size), marks(1_500), BALANCED)

    assert image() in done.messages[0]["content"]
    assert find_violations(done.messages, profile) == ()
