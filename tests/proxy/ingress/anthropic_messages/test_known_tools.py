"""Tests of the cache of tools."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.known_tools import read_known_tools
from sanitizers import Unrepairable

TOOL: dict[str, Any] = {
    "name": "f",
    "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}},
}


def test_equal_tools_are_the_same_objects() -> None:
    """Later steps find cached facts by identity."""
    first, second = read_known_tools([TOOL]), read_known_tools([{**TOOL}])

    assert first is second
    assert first.known is not None
    assert first.known.tools is first.tools.chat_tools
    assert first.known.names == ("f",)


@pytest.mark.parametrize("tools", [None, [], [{"type": "web_search_20250305", "name": "s"}]])
def test_no_functions_have_no_facts(tools: list[Any] | None) -> None:
    assert read_known_tools(tools).known is None


@pytest.mark.parametrize(
    "tools",
    [
        [{"name": "f", "description": "x" * 200_000}],
        [{"name": f"f{at}", "input_schema": {"type": "object", "required": []}} for at in range(2_000)],
        [{"name": "f", "input_schema": {"maximum": 10**30}}],
    ],
)
def test_tools_that_cost_too_much_are_not_cached(tools: list[Any]) -> None:
    assert read_known_tools(tools) is not read_known_tools(tools)
    assert read_known_tools(tools).tools.chat_tools


def test_faulty_tools_are_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(Unrepairable):
            read_known_tools([{}])
