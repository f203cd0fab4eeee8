"""Tests that bad input has a bounded cost and a clear result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sanitizers import find_violations
from sanitizers.budget import PRESETS, CutInput, CutPolicy, Marks, fit, marks_for
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_3_STRICT
from sanitizers.profiles import OPENAI
from tests.sanitizers.budget.histories import quick_size, rounds
from tests.support.builders import assistant, call, image, system, text, tool, user

BALANCED = PRESETS["balanced"]


CALLS_PER_MESSAGE = 150
"""The most function calls that a cut may make for each message, about twice the real number.

Code that makes a call for each pair of messages would need 2,000 for each message.
"""


def counted(work: Callable[[], Any]) -> tuple[Any, int]:
    """Return the result of *work*, and its number of function calls, which is the same on any machine."""
    calls = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done = work()
    finally:
        sys.setprofile(before)
    return done, calls


@pytest.mark.long
@pytest.mark.parametrize(
    "policy",
    [
        BALANCED,
        replace(BALANCED, drop=False),
        replace(BALANCED, clear=False, aged=None),
        replace(BALANCED, drop=False, clear=False),
        replace(BALANCED, last_turns=3),
        PRESETS["codex"],
    ],
)
@pytest.mark.parametrize("limit", [200, 32_768])
def test_cost_of_two_thousand_messages_is_linear(policy: CutPolicy, limit: int) -> None:
    """The cost of two thousand messages is linear: the calls per message are bounded for every policy and window."""
    history = [
        *rounds(600, 900),
        *[m for n in range(400) for m in (user(f"q{n}"), assistant(f"a{n}"))],
        user("go"),
    ]
    marks = marks_for(policy, limit=limit)
    done, calls = counted(lambda: fit(CutInput(history, GEMINI_3_STRICT, quick_size), marks, policy))

    assert len(history) > 2_000
    assert calls < CALLS_PER_MESSAGE * len(history)
    assert find_violations(done.messages, GEMINI_3_STRICT) == ()


def test_a_cut_after_every_round_has_a_bounded_cost() -> None:
    """A cut after every round has a bounded cost, even if the first message alone exceeds the high mark."""
    history = [user("g" * 1_000_000), *rounds(600, 400)[1:]]
    marks = Marks(1_000, 1_000, 500, None)
    _, calls = counted(lambda: fit(CutInput(history, OPENAI, quick_size), marks, BALANCED))

    assert calls < CALLS_PER_MESSAGE * len(history)


@pytest.mark.parametrize("profile", [OPENAI, GEMINI_1, GEMINI_3_STRICT])
def test_a_result_of_megabytes_on_one_line_is_cut_to_fit(profile: Any) -> None:
    """A result of megabytes in the current round is cut in its middle."""
    history = [user("goal"), *rounds(1, 3_000_000)[1:]]
    marks = marks_for(BALANCED, limit=32_768, margin=0.1)
    fit(CutInput(history, profile, quick_size), marks, BALANCED)  # compiles the profile's patterns
    done, calls = counted(lambda: fit(CutInput(history, profile, quick_size), marks, BALANCED))

    assert calls < 1_000
    assert done.verdict == "fits"
    assert done.tokens_after > 20_000
    assert [change.reason for change in done.changes] == ["middle_cut"]


@pytest.mark.parametrize(
    "content", ["\ud800" * 50_000, "a\udfff" * 50_000, "\ud83d\ude00" * 50_000, "\x00" * 90_000]
)
def test_lone_surrogates_are_cut_like_other_text(content: str) -> None:
    """Lone surrogates are cut like other text, and a surrogate pair is never split."""
    history = [user(content), *rounds(30, 2_000)[1:], assistant(None, [call("z")]), tool("z", content)]
    done = fit(CutInput(history, OPENAI, quick_size), Marks(6_000, 6_000, 3_000, 6_500), BALANCED)

    assert done.verdict == "fits"
    assert "\ud83d" not in str(done.messages[0]["content"]).replace("\ud83d\ude00", "")


def test_a_history_of_images_that_cannot_be_cut_is_reported() -> None:
    """A history of images cannot be cut: all images stay, and the verdict is ``over_hard``."""
    history = [user([image()] * 40), assistant("nice"), user([image()] * 40)]
    done = fit(CutInput(history, OPENAI, lambda message: 10_000), Marks(100, 100, 50, 100), BALANCED)

    assert done.verdict == "over_hard"
    assert [part for m in done.messages if m["role"] == "user" for part in m["content"]].count(image()) >= 80


@pytest.mark.parametrize(
    "history",
    [
        [system("s")],
        [system("s" * 9_000)],
        [assistant("only the model")],
        [user("")],
        [user([])],
        [user([text("")])],
        [assistant(None, [call("a")])],
        [system("s"), system("t"), assistant("a" * 9_000), system("u")],
    ],
)
@pytest.mark.parametrize("high", [0, 10, 100_000])
def test_short_histories_get_a_verdict_and_at_most_a_notice(history: list[dict[str, Any]], high: int) -> None:
    """A short history holds nothing to cut. It gets a verdict and at most a notice."""
    done = fit(
        CutInput(history, OPENAI, quick_size),
        Marks(high, high, high // 2, high),
        replace(BALANCED, last_turns=1),
    )

    assert done.verdict in ("fits", "over_hard")
    assert len(done.messages) <= len(history) + 1
    assert fit(CutInput([], OPENAI, quick_size), Marks(high, high, high // 2, high), BALANCED).messages == []
