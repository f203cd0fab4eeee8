"""Tests of reading ``thinkingConfig`` as a reasoning effort."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.gemini_native.thinking_config import read_thinking

PLACE = "generationConfig.thinkingConfig"


@pytest.mark.parametrize(
    ("config", "effort"),
    [
        (None, None),
        ({}, None),
        ({"thinkingBudget": -1}, None),
        ({"thinkingBudget": 0}, "none"),
        ({"thinking_budget": "0"}, "none"),
        ({"thinkingBudget": 1}, "low"),
        ({"thinkingBudget": 1_024}, "low"),
        ({"thinkingBudget": 1_025}, "medium"),
        ({"thinkingBudget": 8_192}, "medium"),
        ({"thinkingBudget": 8_193}, "high"),
        ({"thinkingBudget": 24_576}, "high"),
        ({"thinkingLevel": "MINIMAL"}, "minimal"),
        ({"thinking_level": "low"}, "low"),
        ({"thinkingLevel": "Medium"}, "medium"),
        ({"thinkingLevel": "HIGH"}, "high"),
        ({"thinkingLevel": "XHIGH"}, "xhigh"),
        ({"thinkingLevel": "THINKING_LEVEL_UNSPECIFIED"}, None),
        ({"thinkingLevel": "THINKING_LEVEL_UNSPECIFIED", "thinkingBudget": 1}, "low"),
        ({"thinkingLevel": "HIGH", "thinkingBudget": 0}, "high"),
    ],
)
def test_level_or_budget_is_an_effort(config: Any, effort: str | None) -> None:
    """A level counts before a budget. Without both, the model decides."""
    assert read_thinking(config) == (effort, False)


@pytest.mark.parametrize("name", ["includeThoughts", "include_thoughts"])
def test_client_may_ask_for_thoughts(name: str) -> None:
    """It asks for them beside any effort."""
    assert read_thinking({name: True}).include_thoughts
    assert not read_thinking({name: None}).include_thoughts


@pytest.mark.parametrize(
    ("config", "param"),
    [
        ("x", PLACE),
        ({"includeThoughts": 1}, f"{PLACE}.includeThoughts"),
        ({"thinkingBudget": -2}, f"{PLACE}.thinkingBudget"),
        ({"thinkingBudget": "x"}, f"{PLACE}.thinkingBudget"),
        ({"thinkingLevel": "huge"}, f"{PLACE}.thinkingLevel"),
        ({"thinkingLevel": 2}, f"{PLACE}.thinkingLevel"),
        ({"thinkingLevel": ["LOW"]}, f"{PLACE}.thinkingLevel"),
    ],
)
def test_unreadable_value_is_refused_with_its_path(config: Any, param: str) -> None:
    """No value is named."""
    with pytest.raises(InvalidRequest) as caught:
        read_thinking(config)
    assert caught.value.param == param
