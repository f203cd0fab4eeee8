"""Tests of the size of a planned request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.forwarding.limits.plan_size import PlanSize, chat_size, text_size
from proxy.state.lessons import DeploymentLessons, no_lessons
from sanitizers.budget.calibration import Calibration
from tests.support.proxied import settings_of

_LESSONS = replace(
    no_lessons(settings_of({"m": "openai/gpt-4.1"}).routes.exact["m"][0]), calibration=Calibration(1.0, 1.0)
)
_HISTORY = [{"role": "user", "content": "Which tide does the harbour master expect on Tuesday?"}]


def _scaled(factor: float) -> DeploymentLessons:
    return replace(_LESSONS, calibration=Calibration(factor, 1.0))


LONGEST: dict[str, tuple[PlanSize, int | None]] = {
    "no limit": (chat_size(_HISTORY, {}, 1), None),
    "max_tokens": (chat_size(_HISTORY, {"max_tokens": 50}, 1), 50),
    "max_completion_tokens": (chat_size(_HISTORY, {"max_completion_tokens": 60}, 1), 60),
    "the larger of both": (chat_size(_HISTORY, {"max_tokens": 70, "max_completion_tokens": 60}, 1), 70),
    "each choice": (chat_size(_HISTORY, {"max_tokens": 50, "n": 3}, 1), 150),
    "no number": (chat_size(_HISTORY, {"max_tokens": None, "n": None}, 1), None),
    "embeddings": (text_size({"input": "a", "max_tokens": 9}, 1), 0),
    "text": (text_size({"prompt": "a", "max_tokens": 9}, 1), 9),
    "text without a limit": (text_size({"prompt": "a"}, 1), None),
    "each prompt": (text_size({"prompt": ["a", "b"], "max_tokens": 9}, 1), 18),
    "best of": (text_size({"prompt": "a", "max_tokens": 9, "n": 2, "best_of": 4}, 1), 36),
    "no prompt": (text_size({"prompt": "", "max_tokens": 9}, 1), 9),
}


@pytest.mark.parametrize(("size", "longest"), LONGEST.values(), ids=LONGEST)
def test_longest_answer_is_the_limit_for_all_choices(size: PlanSize, longest: int | None) -> None:
    assert size.longest_answer == longest


TOKENS: dict[str, tuple[Any, int]] = {
    "one list of numbers": ([1, 2, 3], 3),
    "lists of numbers": ([[1, 2, 3], [4]], 4),
    "nothing": (None, 0),
    "no text": ("", 0),
}


@pytest.mark.parametrize(("value", "tokens"), TOKENS.values(), ids=TOKENS)
def test_numbers_of_tokens_are_counted_as_they_are(value: Any, tokens: int) -> None:
    """Token numbers are exact, so no factor applies to them."""
    assert text_size({"input": value}, 1).count(_scaled(2.0)) == tokens


def test_texts_add_up() -> None:
    one = text_size({"input": "Which tide does the harbour master expect?"}, 1).count(_LESSONS)
    two = text_size({"input": ["Which tide does the harbour master expect?"] * 2}, 1).count(_LESSONS)

    assert 5 < one < 20
    assert one < two <= 2 * one


def test_newest_factor_corrects_the_estimate() -> None:
    size = chat_size(_HISTORY, {}, 1)

    assert size.count(_LESSONS) > 5
    assert size.count(_scaled(2.0)) == 2 * size.count(_LESSONS)


def test_tools_count_as_a_part_of_the_prompt() -> None:
    tool = {"type": "function", "function": {"name": "tide", "description": "Returns the tide of a day."}}

    with_tools = chat_size(_HISTORY, {"tools": [tool]}, 1).count(_LESSONS)
    assert with_tools > chat_size(_HISTORY, {}, 1).count(_LESSONS)


@pytest.mark.parametrize(
    ("given", "tier"), [({"service_tier": "priority"}, "priority"), ({}, None), ({"service_tier": 5}, None)]
)
def test_service_tier_is_the_one_that_the_client_asks_for(given: dict[str, Any], tier: str | None) -> None:
    assert chat_size(_HISTORY, given, 1).service_tier == tier
