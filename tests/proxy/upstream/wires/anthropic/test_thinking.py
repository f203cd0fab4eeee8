"""Tests of the reasoning effort in Anthropic's form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.anthropic.thinking import thinking_fields

SUMMED = {"type": "adaptive", "display": "summarized"}


@pytest.mark.parametrize(
    ("model", "effort", "fields"),
    [
        ("claude-sonnet-4-5", None, {}),
        ("claude-sonnet-4-5", "default", {}),
        ("claude-sonnet-4-5", "none", {}),
        ("claude-sonnet-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("claude-opus-4-1", "max", {"thinking": {"type": "enabled", "budget_tokens": 16384}}),
        ("claude-opus-4-6", "none", {}),
        ("claude-opus-4-6", "high", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ("claude-opus-4-8", "xhigh", {"thinking": SUMMED, "output_config": {"effort": "xhigh"}}),
        ("claude-fable-5", "low", {"thinking": SUMMED, "output_config": {"effort": "low"}}),
        ("glm-5", "high", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        ("glm-5", "none", {"thinking": {"type": "disabled"}}),
    ],
)
def test_effort_has_the_form_of_the_model(model: str, effort: str | None, fields: dict[str, Any]) -> None:
    """Newer models refuse a budget, and the word ``disabled``."""
    assert thinking_fields(model, effort) == fields
