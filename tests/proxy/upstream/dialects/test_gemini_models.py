"""Tests of the reasoning efforts and thinking traits of Gemini's models."""

from __future__ import annotations

import pytest

from proxy.upstream.dialects.gemini_models import always_thinks, efforts_of_gemini, knows_minimal, thinks
from sanitizers import profile_for

BUDGETS = ("minimal", "low", "medium", "high")


@pytest.mark.parametrize(
    ("model", "direct", "efforts"),
    [
        ("gemini-2.0-flash", True, None),
        ("gemini-2.5-flash-image", True, None),
        ("gemini-2.5-flash-preview-tts", True, None),
        ("gemini-2.5-flash", True, ("none", *BUDGETS, "xhigh", "max")),
        ("gemini-2.5-flash", False, ("none", *BUDGETS)),
        ("gemini-2.5-pro", False, BUDGETS),
        ("gemini-3-pro-preview", True, ("none", "low", "high")),
        ("gemini-3.1-pro-preview", True, ("none", "low", "medium", "high")),
        ("gemini-3-flash-preview", True, ("none", "minimal", "low", "medium", "high")),
        ("gemini-3.7-flash", False, ("none", "low", "medium", "high")),
    ],
)
def test_efforts_of_each_gemini_model(model: str, direct: bool, efforts: tuple[str, ...] | None) -> None:
    """Gemini 2.5 has budgets, of which litellm refuses the greatest. Later models have levels."""
    assert efforts_of_gemini(profile_for(f"gemini/{model}"), model, direct=direct) == efforts


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gemini-2.0-flash", (False, False, False)),
        ("gemini-2.5-flash-lite", (True, False, False)),
        ("gemini-2.5-pro", (True, False, True)),
        ("gemini-3.6-flash", (True, True, False)),
        ("gemini-3.7-flash", (True, False, False)),
    ],
)
def test_thinking_traits_of_each_gemini_model(model: str, expected: tuple[bool, bool, bool]) -> None:
    """The traits are thinking, the level ``minimal``, and thinking that cannot be turned off."""
    profile = profile_for(f"gemini/{model}")

    assert (thinks(profile, model), knows_minimal(model), always_thinks(model)) == expected
