"""Tests that the reasoning effort is a token budget for Gemini 2.5, and a level from Gemini 3 on."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_chat.parameters import check_parameter
from proxy.upstream.wires.gemini.requests import carried_parameters
from sanitizers import profile_for
from tests.proxy.upstream.wires.gemini.test_settings import V2_0, V2_5, V3, V3_6, V3_7, config


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        (V2_5, "minimal", (128, True)),
        ("gemini-2.5-flash-lite", "minimal", (512, True)),
        ("gemini-2.5-flash", "minimal", (1, True)),
        (V2_5, "low", (1024, True)),
        (V2_5, "medium", (2048, True)),
        (V2_5, "high", (4096, True)),
        (V2_5, "xhigh", (8192, True)),
        (V2_5, "max", (16384, True)),
        ("gemini-2.5-flash", "none", (0, False)),
        (V2_5, "disable", (128, False)),
        (V3, "minimal", ("low", True)),
        (V3_6, "minimal", ("minimal", True)),
        (V3_7, "minimal", ("low", True)),
        ("gemini-flash-latest", "minimal", ("low", True)),
        (V3, "low", ("low", True)),
        (V3, "medium", ("medium", True)),
        (V3, "xhigh", ("high", True)),
        (V3, "max", ("high", True)),
        (V3_7, "max", ("high", True)),
        (V3, "none", ("low", False)),
        (V3_6, "none", ("minimal", False)),
    ],
)
def test_effort_is_a_budget_for_gemini_2_5_and_a_level_later(
    model: str, effort: str, expected: tuple[Any, bool]
) -> None:
    """A level that the model does not know becomes the nearest known level."""
    name = "thinkingBudget" if isinstance(expected[0], int) else "thinkingLevel"

    thinking = {name: expected[0], "includeThoughts": expected[1]}
    assert config(model, reasoning_effort=effort) == {"thinkingConfig": thinking}


@pytest.mark.parametrize("model", [V2_5, V3, V3_7])
@pytest.mark.parametrize("effort", ["auto", "default"])
def test_effort_that_leaves_the_choice_to_the_model_is_not_sent(model: str, effort: str) -> None:
    """The model chooses the effort, as without the parameter."""
    assert config(model, reasoning_effort=effort) is None


def test_every_effort_of_the_allow_list_is_known() -> None:
    """Every effort that the proxy allows can be sent to every model that thinks."""
    for effort in ("none", "minimal", "low", "medium", "high", "xhigh", "max", "default"):
        check_parameter("reasoning_effort", effort)
        for model in (V2_5, V3, V3_6, V3_7):
            config(model, reasoning_effort=effort)


@pytest.mark.parametrize("model", [V2_0, "gemini-2.5-flash-image", "gemini-2.5-pro-preview-tts"])
def test_no_effort_where_the_model_does_not_think(model: str) -> None:
    """For a model that does not think, the effort is left out and reported as not supported."""
    assert config(model, reasoning_effort="low") is None
    assert "reasoning_effort" not in carried_parameters(profile_for(f"gemini/{model}"), model)
