"""Tests that a plan which changes tools is told from one that keeps them."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.kept_tools import keeps_tools

TOOL = {"type": "function", "function": {"name": "f"}}
GIVEN = {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}}


@pytest.mark.parametrize(
    ("planned", "keeps"),
    [
        ({}, True),
        ({"tools": [{**TOOL}]}, True),
        ({"tool_choice": "none"}, True),
        ({"tool_choice": None}, False),
        ({"tool_choice": {"type": "function", "function": {"name": "g"}}}, False),
        ({"tools": []}, False),
    ],
)
def test_a_plain_choice_can_be_written_back_and_other_tools_cannot(
    planned: dict[str, Any], keeps: bool
) -> None:
    """Equal tools count as the same, and so does a choice that names no tool."""
    assert keeps_tools(GIVEN, {**GIVEN, **planned}) is keeps
