"""Tests of thinking that a Gemini lacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.planning.repairs.refused_thinking import without_refused_thinking
from proxy.resilience.read_error import NO_ERROR_FACTS

HIGH, MINIMAL = {"thinkingLevel": "HIGH"}, {"includeThoughts": True, "thinking_level": "minimal"}


def changed(words: str, thinking: Any, **config: Any) -> dict[str, Any]:
    """Return the fields that change after a refusal with *words*."""
    fields = {"generation_config": {**config, "thinkingConfig": thinking}}
    return without_refused_thinking(fields, replace(NO_ERROR_FACTS, words=words.lower()))[0]


@pytest.mark.parametrize(
    ("words", "thinking", "after"),
    [
        ("Thinking level is not supported for this model.", HIGH, None),
        (
            "Thinking level is not supported for this model.",
            {**HIGH, "includeThoughts": True},
            {"includeThoughts": True},
        ),
        (
            "Thinking level MINIMAL is not supported for this model.",
            MINIMAL,
            {**MINIMAL, "thinking_level": "LOW"},
        ),
        (
            "'minimal' is not a supported thinking level for this model.",
            MINIMAL,
            {**MINIMAL, "thinking_level": "LOW"},
        ),
        (
            "thinking_level MEDIUM is not supported by this model.",
            {"thinkingLevel": "MEDIUM"},
            {"thinkingLevel": "HIGH"},
        ),
        ("Thinking level HIGH is not supported for this model.", HIGH, None),
        (
            "You can only set only one of thinking budget and thinking level.",
            {**HIGH, "thinking_budget": 5},
            HIGH,
        ),
        ("The thinking budget (52428) is invalid.", {"thinkingBudget": 52428}, None),
        ("The model does not support setting thinking_budget to 0", {"thinkingBudget": 0}, None),
        ("thinking_config is not supported", {"includeThoughts": True}, None),
    ],
)
def test_refused_thinking_gives_way_to_what_the_model_has(words: str, thinking: Any, after: Any) -> None:
    """Other settings stay, and the spelling too."""
    kept = {"topK": 1} if after is None else {"topK": 1, "thinkingConfig": after}

    assert changed(words, thinking, topK=1) == {"generation_config": kept}
    assert changed(words, thinking) == {
        "generation_config": None if after is None else {"thinkingConfig": after}
    }


@pytest.mark.parametrize(
    ("words", "thinking"),
    [
        ("Request contains an invalid argument.", HIGH),
        ("Thinking level MINIMAL is not supported for this model.", HIGH),
        ("The thinking budget (5) is invalid.", HIGH),
        ("thinking_config is not supported", None),
    ],
)
def test_other_words_change_nothing(words: str, thinking: Any) -> None:
    """The same request would be refused again."""
    assert changed(words, thinking) == {}
    assert without_refused_thinking({}, replace(NO_ERROR_FACTS, words=words.lower())) == ({}, [])
