"""Tests of the cache of tools."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.gemini_native.known_tools import read_known_tools
from sanitizers import Unrepairable


def declare(*declarations: dict[str, Any]) -> list[Any]:
    """Return tools that declare functions."""
    return [{"functionDeclarations": [*declarations]}]


def test_equal_tools_are_the_same_objects() -> None:
    """Later steps find cached facts by identity."""
    first, second = (read_known_tools(declare({"name": "f", "parameters": {}})) for _ in range(2))

    assert first is second
    assert first.known is not None
    assert first.known.tools is first.tools.chat_tools
    assert first.known.names == ("f",)


@pytest.mark.parametrize("tools", [None, [], {}, [{"googleSearch": {}}]])
def test_no_functions_have_no_facts(tools: Any) -> None:
    """There is nothing to clean and nothing to count."""
    assert read_known_tools(tools).known is None


@pytest.mark.parametrize(
    "tools",
    [
        declare({"name": "f", "description": "x" * 200_000}),
        declare(
            *({"name": f"f{at}", "parameters": {"type": "OBJECT", "required": []}} for at in range(2_000))
        ),
        declare({"name": "f", "parameters": {"maximum": 10**30}}),
    ],
)
def test_tools_that_cost_too_much_are_not_cached(tools: list[Any]) -> None:
    """The cache has its bounds, and a number of thirty digits has no JSON here."""
    assert read_known_tools(tools) is not read_known_tools(tools)
    assert read_known_tools(tools).tools.chat_tools


def test_faulty_tools_are_refused_each_time() -> None:
    """An error is not cached."""
    for _ in range(2):
        with pytest.raises(Unrepairable):
            read_known_tools(declare({}))
