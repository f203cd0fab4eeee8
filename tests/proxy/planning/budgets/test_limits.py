"""Tests of the limit of a deployment: the source of its window, and the reserve for the answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.budgets.limits import Limit, asked_output, limit_of
from proxy.state.lessons import Learned
from sanitizers.budget import PRESETS
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, deployment_of

BALANCED, LANGO = PRESETS["balanced"], PRESETS["lango"]


def limit(
    model: str = LOCAL,
    learned: int | None = None,
    parameters: dict[str, Any] | None = None,
    *,
    policy: Any = BALANCED,
    reserve: int | None = None,
    window: int | None = None,
    longest: int | None = None,
) -> Limit:
    """Return the limit of one request to *model*, whose ``model_info`` says *window* and *longest*."""
    deployment = deployment_of(model, max_input_tokens=window, max_output_tokens=longest)
    lessons = None if learned is None else Learned(learned)
    return limit_of(deployment, asked_output(parameters or {}), policy, lessons, reserve)


@pytest.mark.parametrize(
    ("found", "window", "source"),
    [
        (limit("openai/gpt-4o", window=50_000), 50_000, "configured"),
        (limit("openai/gpt-4o"), 128_000, "catalogue"),
        (limit("anthropic/claude-imaginary-99"), 200_000, "family"),
        (limit("openai/gpt-4o", 60_000), 60_000, "learned"),
        (limit(LOCAL, 8_192), 8_192, "learned"),
        (limit(LOCAL, policy=LANGO), 65_536, "assumed"),
        (limit(LOCAL), None, "unknown"),
    ],
)
def test_window_comes_from_the_first_known_source(found: Limit, window: int | None, source: str) -> None:
    """The order is the operator, the catalogue, the family, the policy's assumption.

    A learned window replaces a larger, assumed or unknown window.
    """
    assert (found.window, found.source) == (window, source)


@pytest.mark.parametrize("window", [None, 100_000])
def test_a_learned_window_only_lowers(window: int | None) -> None:
    """A window learned from an error is used only where it is smaller than the stated window."""
    stated = limit("openai/gpt-4o", window=window)
    assert stated.window is not None

    assert limit("openai/gpt-4o", stated.window + 1, window=window) == stated
    assert limit("openai/gpt-4o", stated.window, window=window) == stated
    assert limit("openai/gpt-4o", stated.window - 1, window=window).window == stated.window - 1


def test_a_learned_window_replaces_the_assumption() -> None:
    """A learned window is used even where it is not smaller, since the deployment itself named it."""
    found = limit(LOCAL, 65_536, policy=LANGO)

    assert (found.window, found.source) == (65_536, "learned")


def test_a_shared_window_gives_up_the_reserve() -> None:
    """The prompt's limit is the window less the reserve, since the answer uses the same window."""
    found = limit(LOCAL, window=100_000)

    assert found == Limit(100_000, 8_192, 91_808, True, "configured")


@pytest.mark.parametrize("model", [GEMINI, "openai/gpt-5"])
def test_a_window_of_input_alone_is_the_limit(model: str) -> None:
    """The windows of Gemini and GPT-5 are for the prompt. The answer has a limit of its own."""
    found = limit(model, window=100_000)

    assert (found.tokens, found.shared) == (100_000, False)
    assert limit(model, None, {"max_tokens": 60_000}, window=100_000).tokens == 100_000


@pytest.mark.parametrize(
    ("asked", "reserve"),
    [
        (1, 1_024),
        (1_024, 1_024),
        (1_025, 4_096),
        (4_097, 8_192),
        (8_193, 16_384),
        (16_385, 32_768),
        (40_000, 65_536),
        (65_537, 65_537),
    ],
)
def test_the_reserve_goes_in_steps(asked: int, reserve: int) -> None:
    """Small differences in the client's answer limit do not move the prompt's limit."""
    assert limit(LOCAL, None, {"max_tokens": asked}, window=1_000_000).reserve == reserve
    assert limit(LOCAL, None, {"max_completion_tokens": asked}, window=1_000_000).reserve == reserve


def test_the_reserve_is_a_quarter_at_most() -> None:
    """An answer that takes the whole window would leave no room for a prompt."""
    for asked in (8_000, 1_000_000):
        assert limit(LOCAL, None, {"max_tokens": asked}, window=10_000).tokens == 7_500


def test_the_reserve_of_a_client_that_sets_no_length() -> None:
    """The reserve is the model's own longest answer, if that is short. Otherwise the reserve is 8,192 tokens."""
    assert limit(LOCAL, window=100_000).reserve == 8_192
    assert limit(LOCAL, window=100_000, longest=4_096).reserve == 4_096
    assert limit(LOCAL, window=100_000, longest=64_000).reserve == 8_192


def test_the_operator_s_reserve_wins() -> None:
    """The operator's reserve replaces the reserve for the client's answer limit. A reserve of 0 keeps nothing free."""
    for reserve in (0, 2_000):
        found = limit(LOCAL, None, {"max_tokens": 30_000}, reserve=reserve, window=100_000)
        assert (found.reserve, found.tokens) == (reserve, 100_000 - reserve)


@pytest.mark.parametrize(
    ("parameters", "asked"),
    [
        ({}, None),
        ({"max_tokens": 5}, 5),
        ({"max_tokens": None, "max_completion_tokens": 7}, 7),
        ({"max_tokens": 5, "max_completion_tokens": 7}, 7),
        ({"max_tokens": "many"}, None),
    ],
)
def test_the_client_s_length_of_the_answer(parameters: dict[str, Any], asked: int | None) -> None:
    """``max_completion_tokens`` takes precedence over ``max_tokens``. A value that is not a number is ignored."""
    assert asked_output(parameters) == asked
