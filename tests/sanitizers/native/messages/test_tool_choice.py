"""Tests of reading the tool choice of a Messages request."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.messages.tool_choice import read_tool_choice
from sanitizers.native.messages.tools import read_tools

TOOLS = read_tools([{"name": "f"}, {"type": "web_search_20250305", "name": "web_search"}])
SERVER = read_tools([{"type": "web_search_20250305", "name": "web_search"}])
NONE = read_tools(None)
NAMED = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    ("choice", "said", "parallel"),
    [
        (None, None, None),
        ({"type": "auto"}, "auto", None),
        ({"type": "any"}, "required", None),
        ({"type": "none"}, "none", None),
        ({"type": "tool", "name": "f"}, NAMED, None),
        ({"type": "auto", "disable_parallel_tool_use": True}, "auto", False),
        ({"type": "tool", "name": "f", "disable_parallel_tool_use": True}, NAMED, False),
        ({"type": "any", "disable_parallel_tool_use": False}, "required", None),
        ({"type": "none", "disable_parallel_tool_use": True}, "none", None),
    ],
)
def test_choice_has_its_form_in_chat(choice: Any, said: Any, parallel: bool | None) -> None:
    """Each choice has one in chat's form, and the flag becomes ``parallel_tool_calls``."""
    read = read_tool_choice(choice, TOOLS)

    assert (read.choice, read.parallel_tool_calls, read.changes) == (said, parallel, ())


@pytest.mark.parametrize(
    ("choice", "tools", "reason"),
    [
        ({"type": "tool", "name": "web_search"}, TOOLS, "no_tool_left"),
        ({"type": "tool", "name": "web_search"}, SERVER, "no_tool_left"),
        ({"type": "any"}, SERVER, "no_tool_left"),
        ({"type": "any"}, NONE, "no_tools"),
        ({"type": "tool", "name": "f"}, NONE, "no_tools"),
        ({"type": "auto", "disable_parallel_tool_use": True}, NONE, "no_tools"),
    ],
)
def test_choice_without_its_tool_is_left_out(choice: Any, tools: Any, reason: str) -> None:
    """Providers refuse a choice without tools, so that it is left out and reported."""
    read = read_tool_choice(choice, tools)
    [change] = read.changes

    assert (read.choice, read.parallel_tool_calls) == (None, None)
    assert (change.kind, change.reason, change.detail) == ("dropped", reason, "tool_choice")


@pytest.mark.parametrize(
    ("choice", "param"),
    [
        ("auto", "tool_choice"),
        ({}, "tool_choice.type"),
        ({"type": []}, "tool_choice.type"),
        ({"type": "required"}, "tool_choice.type"),
        ({"type": "tool"}, "tool_choice.tool.name"),
        ({"type": "tool", "name": "unknown"}, "tool_choice"),
        ({"type": "auto", "disable_parallel_tool_use": 1}, "tool_choice.disable_parallel_tool_use"),
    ],
)
def test_unreadable_choice_is_refused(choice: Any, param: str) -> None:
    """The error names the place, and quotes nothing of the client's."""
    with pytest.raises(Unrepairable) as caught:
        read_tool_choice(choice, TOOLS)

    assert caught.value.param == param
    assert "unknown" not in caught.value.message
