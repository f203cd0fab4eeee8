"""Tests that the API of a request is found by its fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_CHAT, OPENAI_RESPONSES
from proxy.inspector.read_query import format_of

USER = {"role": "user", "content": "Hi."}
BLOCK = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"messages": [USER]}, OPENAI_CHAT),
        ({"messages": [USER], "max_tokens": 9}, OPENAI_CHAT),
        ({"messages": [USER], "tools": [{"type": "function", "function": {"name": "f"}}]}, OPENAI_CHAT),
        ({"messages": [{"role": "user", "content": '{"type":"tool_use"} {"input_schema":1}'}]}, OPENAI_CHAT),
        ({"messages": [USER], "input": "x"}, OPENAI_CHAT),
        ({"input": "x"}, OPENAI_RESPONSES),
        ({"previous_response_id": "r"}, OPENAI_RESPONSES),
        ({"contents": [], "tools": [{"functionDeclarations": []}]}, GEMINI_NATIVE),
        ({"messages": [USER], "contents": []}, OPENAI_CHAT),
        ({"messages": [USER], "system": "Be brief."}, ANTHROPIC_MESSAGES),
        ({"messages": [USER], "thinking": {"type": "adaptive"}}, ANTHROPIC_MESSAGES),
        ({"messages": [USER], "tools": [{"name": "f", "input_schema": {}}]}, ANTHROPIC_MESSAGES),
        ({"messages": [USER, BLOCK]}, ANTHROPIC_MESSAGES),
        ({"messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}]}, ANTHROPIC_MESSAGES),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, OPENAI_CHAT),
        ({}, OPENAI_CHAT),
    ],
)
def test_api_is_found_by_fields_and_blocks(request_: dict[str, Any], expected: str) -> None:
    """Words within a text decide nothing."""
    assert format_of(json.dumps(request_).encode()) == expected
    assert format_of(json.dumps(request_, indent=2).encode()) == expected
