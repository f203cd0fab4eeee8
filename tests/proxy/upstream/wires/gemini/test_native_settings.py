"""Tests of single settings that a plan changes in a client's ``generationConfig``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini.native_settings import changed_settings
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3

NEW, OLD = "gemini-3.6-flash", "gemini-2.5-flash"
CAMEL: dict[str, Any] = {
    "temperature": 1,
    "maxOutputTokens": 9,
    "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"},
    "responseMimeType": "application/json",
    "responseSchema": {"type": "STRING"},
    "unheardOf": 1,
}
SNAKE: dict[str, Any] = {
    "max_output_tokens": 9,
    "thinking_config": {"include_thoughts": True, "thinking_level": "HIGH"},
}


@pytest.mark.parametrize(
    ("came", "planned", "after"),
    [
        ({}, {"temperature": 0}, {"temperature": 0}),
        (CAMEL, {"temperature": None}, {"temperature": ...}),
        (CAMEL, {"max_tokens": 5}, {"maxOutputTokens": 5}),
        (CAMEL, {"max_completion_tokens": 5}, {"maxOutputTokens": 5}),
        (CAMEL, {"max_tokens": None}, {"maxOutputTokens": ...}),
        (SNAKE, {"max_tokens": 5}, {"max_output_tokens": 5}),
        (SNAKE, {"top_k": 5, "stop": "a"}, {"top_k": 5, "stop_sequences": ["a"]}),
        (
            CAMEL,
            {"reasoning_effort": "low"},
            {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "low"}},
        ),
        (CAMEL, {"reasoning_effort": None}, {"thinkingConfig": {"includeThoughts": True}}),
        (
            SNAKE,
            {"reasoning_effort": "low"},
            {"thinking_config": {"include_thoughts": True, "thinking_level": "low"}},
        ),
        ({}, {"reasoning_effort": "low"}, {"thinkingConfig": {"thinkingLevel": "low"}}),
        (
            {"thinkingConfig": {"thinkingLevel": "LOW"}},
            {"reasoning_effort": None},
            {"thinkingConfig": ...},
        ),
        (CAMEL, {"response_format": None}, {"responseMimeType": ..., "responseSchema": ...}),
        (CAMEL, {"response_format": {"type": "json_object"}}, {"responseSchema": ...}),
        ({}, {"logprobs": True, "top_logprobs": 2}, {"responseLogprobs": True, "logprobs": 2}),
        (
            {"responseLogprobs": True, "logprobs": 2},
            {"logprobs": None},
            {"responseLogprobs": ..., "logprobs": ...},
        ),
        ({}, {"parallel_tool_calls": False}, {}),
    ],
)
def test_only_the_settings_of_the_changed_parameters_change(
    came: dict[str, Any], planned: dict[str, Any], after: dict[str, Any]
) -> None:
    """A setting of three dots is left out. Spellings stay, and what is added has that of the rest."""
    expected = {name: value for name, value in {**came, **after}.items() if value is not ...}

    assert changed_settings(came, planned, planned, GEMINI_3, NEW) == expected


def test_older_models_have_a_budget_for_a_level() -> None:
    """Gemini 2.5 refuses levels."""
    planned = {"reasoning_effort": "low"}
    after = changed_settings({"thinkingConfig": {"thinkingLevel": "HIGH"}}, planned, planned, GEMINI_2, OLD)

    assert after == {"thinkingConfig": {"thinkingBudget": 1024}}
