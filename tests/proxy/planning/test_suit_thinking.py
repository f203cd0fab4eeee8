"""Tests of the kind of thinking that a request asks a Claude for."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.suit_thinking import suit_thinking
from proxy.upstream.dialects.claude_models import claude_of

ADAPTIVE: dict[str, Any] = {"type": "adaptive", "display": "summarized"}
BUDGET: dict[str, Any] = {"type": "enabled", "budget_tokens": 2000, "display": "summarized"}
OFF = {"type": "disabled"}
FORMAT = {"type": "json_schema"}


@pytest.mark.parametrize(
    ("model", "fields", "changed"),
    [
        (
            "claude-sonnet-4-5",
            {"thinking": ADAPTIVE},
            {"thinking": {"type": "enabled", "budget_tokens": 4096}},
        ),
        (
            "claude-sonnet-4-5",
            {"thinking": ADAPTIVE, "output_config": {"effort": "low", "format": FORMAT}},
            {
                "thinking": {"type": "enabled", "budget_tokens": 1024},
                "output_config": {"format": FORMAT},
            },
        ),
        (
            "claude-haiku-4-5",
            {"thinking": ADAPTIVE, "output_config": {"effort": ["odd"]}},
            {"thinking": {"type": "enabled", "budget_tokens": 4096}, "output_config": None},
        ),
        ("claude-sonnet-4-5", {"thinking": BUDGET}, {}),
        ("claude-sonnet-4-5", {"thinking": OFF}, {}),
        ("claude-sonnet-4-6", {"thinking": ADAPTIVE}, {}),
        ("claude-sonnet-4-6", {"thinking": BUDGET}, {}),
        ("claude-opus-4-7", {"thinking": BUDGET}, {"thinking": ADAPTIVE}),
        ("claude-opus-4-8", {"thinking": ADAPTIVE, "output_config": {"effort": "high"}}, {}),
        ("claude-opus-4-8", {"thinking": OFF}, {}),
        ("claude-fable-5", {"thinking": OFF}, {"thinking": None}),
        ("claude-opus-4-8", {}, {}),
        ("claude-opus-4-8", {"thinking": "odd"}, {}),
        ("glm-5", {"thinking": BUDGET}, {}),
    ],
)
def test_thinking_is_of_the_kind_that_the_model_has(
    model: str, fields: dict[str, Any], changed: dict[str, Any]
) -> None:
    """Each changed field has a change of its own, and a kind that the model takes stays."""
    found, changes = suit_thinking(fields, claude_of(model))

    assert found == changed
    assert sorted((change.reason, change.detail or "") for change in changes) == [
        ("thinking_kind", name) for name in sorted(changed)
    ]
