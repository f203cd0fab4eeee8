"""Tests of the operator's own fields in a request in its client's form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini.own_extras import extra_fields


@pytest.mark.parametrize(
    ("fields", "extras", "changed"),
    [
        ({}, {"labels": {"a": "b"}}, {"labels": {"a": "b"}}),
        ({"safety_settings": []}, {"safetySettings": [1]}, {"safety_settings": [1]}),
        ({"generationConfig": {"topK": 1}}, {"generation_config": {"topK": 2}}, {}),
        ({"generation_config": {"top_k": 1}}, {"generationConfig": {"topK": 2}}, {}),
        (
            {"generation_config": {"top_k": 1}},
            {"generationConfig": {"seed": 2}},
            {"generation_config": {"top_k": 1, "seed": 2}},
        ),
        (
            {"generationConfig": {"thinkingConfig": {"thinking_budget": 0}}},
            {"generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}}},
            {},
        ),
        (
            {"generationConfig": {"thinkingConfig": {"thinking_budget": 0}}},
            {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}},
            {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": True}}},
        ),
    ],
)
def test_settings_of_the_client_stay(
    fields: dict[str, Any], extras: dict[str, Any], changed: dict[str, Any]
) -> None:
    """Other fields are the operator's. Neither adds a second spelling of a name."""
    assert extra_fields(fields, extras) == changed
