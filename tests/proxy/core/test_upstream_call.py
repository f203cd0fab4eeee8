"""Tests of what follows from a call to a provider: if the model is Gemini, and the number of choices."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from proxy.core.upstream_call import TextCall, Timeouts, UpstreamCall
from sanitizers.profile_names import PROFILES
from tests.proxy.core.test_deployment import ONE

LIMITS = Timeouts(5, 120, 120, 600)


chat = partial(UpstreamCall, messages=[], timeouts=LIMITS)


@pytest.mark.parametrize(
    ("model", "is_gemini"),
    [
        ("gemini/gemini-2.5-pro", True),
        ("vertex_ai/gemini-3-pro", True),
        ("openrouter/google/gemini-2.5-pro", True),
        ("openai/gpt-4.1", False),
    ],
)
def test_gemini_is_known_by_every_route(model: str, is_gemini: bool) -> None:
    """A Gemini model is recognized on every route, by its profile."""
    assert chat(replace(ONE, model=model), parameters={}).is_gemini is is_gemini


def test_given_profile_wins_over_that_of_the_model() -> None:
    """A profile that is given with the call wins over the model's own profile."""
    profile = PROFILES["mistral"]

    call = chat(ONE, parameters={}, profile=profile)

    assert call.rules is profile
    assert not call.is_gemini


@pytest.mark.parametrize(
    ("parameters", "choices"),
    [
        ({"prompt": "a"}, 1),
        ({"prompt": ["a", "b"], "n": 3}, 6),
        ({"prompt": [1, 2], "n": None}, 1),
        ({"prompt": [[1], [2]]}, 2),
    ],
)
def test_text_completion_has_n_choices_for_each_prompt(parameters: dict[str, Any], choices: int) -> None:
    """A text completion has ``n`` choices for each prompt, and a list of numbers is one prompt."""
    assert TextCall(ONE, parameters, LIMITS).choices == choices


@pytest.mark.parametrize(("parameters", "choices"), [({}, 1), ({"n": None}, 1), ({"n": 2}, 2)])
def test_chat_has_n_choices(parameters: dict[str, Any], choices: int) -> None:
    """A chat has ``n`` choices, and one if ``n`` is null or missing."""
    assert chat(ONE, parameters=parameters).choices == choices
