"""Tests of thinking and effort."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.thinking import ReadThinking, read_format, read_thinking


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ReadThinking(None, False, True)),
        ({"thinking": {"type": "disabled"}}, ReadThinking("none", False, False)),
        ({"thinking": {"type": "adaptive"}}, ReadThinking(None, True, True)),
        (
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}},
            ReadThinking("xhigh", True, True),
        ),
        ({"thinking": {"type": "adaptive", "display": "omitted"}}, ReadThinking(None, True, False)),
        ({"thinking": {"type": "between_tools"}}, ReadThinking(None, True, True)),
        ({"thinking": {"type": "enabled", "budget_tokens": 1_024}}, ReadThinking("low", True, True)),
        ({"thinking": {"type": "enabled", "budget_tokens": 4_096}}, ReadThinking("medium", True, True)),
        ({"thinking": {"type": "enabled", "budget_tokens": 31_999}}, ReadThinking("high", True, True)),
        ({"thinking": {"type": "enabled"}}, ReadThinking(None, True, True)),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 1_024}, "output_config": {"effort": "max"}},
            ReadThinking("max", True, True),
        ),
        ({"output_config": {"effort": "low"}}, ReadThinking("low", False, True)),
        ({"output_config": {"effort": "a new one"}}, ReadThinking(None, False, True)),
        (
            {"thinking": {"type": "disabled"}, "output_config": {"effort": "high"}},
            ReadThinking("none", False, False),
        ),
    ],
)
def test_thinking_has_its_effort(fields: dict[str, Any], expected: ReadThinking) -> None:
    """A client that does not ask for thinking gets no thinking blocks."""
    assert read_thinking(fields) == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
        {"output_format": {"type": "json_schema", "schema": {"type": "object"}}},
    ],
)
def test_format_becomes_chats(fields: dict[str, Any]) -> None:
    form = read_format(fields)

    assert form == {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}
    assert read_format({}) is None
