"""Tests of reading ``tool_choice``."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.responses import read_tool_choice, read_tools

TABLE = read_tools(
    [
        {"type": "function", "name": "f"},
        {"type": "custom", "name": "c"},
        {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "g"}]},
        {"type": "shell"},
        {"type": "web_search"},
    ],
    [],
)
EMPTY = read_tools([{"type": "web_search"}], [])


def forced(name: str) -> dict[str, Any]:
    """Return chat's choice of one function."""
    return {"type": "function", "function": {"name": name}}


@pytest.mark.parametrize(
    ("choice", "read"),
    [
        (None, None),
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ({"type": "function", "name": "f"}, forced("f")),
        ({"type": "custom", "name": "c"}, forced("c")),
        ({"type": "function", "name": "g"}, forced("n__g")),
        ({"type": "function", "name": "g", "namespace": "n"}, forced("n__g")),
        ({"type": "shell"}, forced("shell")),
    ],
)
def test_choice_is_read(choice: Any, read: Any) -> None:
    """A choice of one tool names it by its flat name."""
    assert read_tool_choice(choice, TABLE) == (read, (), None, None)


def test_required_without_a_tool_becomes_auto() -> None:
    """No call can be required of a model without tools."""
    choice, [change], allowed, _ = read_tool_choice("required", EMPTY)

    assert (choice, allowed) == ("auto", None)
    assert (change.kind, change.reason, change.detail) == ("replaced", "no_tool_left", "tool_choice")


@pytest.mark.parametrize(
    ("mode", "tools", "read"),
    [
        (
            "auto",
            [{"type": "function", "name": "f"}, {"type": "custom", "name": "c"}],
            ("auto", {"f", "c"}, []),
        ),
        ("required", [{"type": "shell"}], ("required", {"shell"}, [])),
        ("auto", [{"type": "web_search"}, {"type": "shell"}], ("auto", {"shell"}, ["server_tool"])),
        (
            "required",
            [{"type": "mcp", "server_label": "x"}],
            ("auto", set(), ["server_tool", "no_tool_left"]),
        ),
    ],
)
def test_allowed_tools_are_flat_names(mode: str, tools: list[Any], read: Any) -> None:
    """Of the allowed tools, those that were left out are reported."""
    choice, changes, allowed, _ = read_tool_choice(
        {"type": "allowed_tools", "mode": mode, "tools": tools}, TABLE
    )

    assert (choice, allowed, [change.reason for change in changes]) == read


@pytest.mark.parametrize(
    "choice",
    [
        {"type": "web_search"},
        {"type": "web_search_preview_2025_03_11"},
        {"type": "mcp", "server_label": "x"},
        {"type": "apply_patch"},
    ],
)
def test_forced_tool_of_the_provider_is_a_need(choice: dict[str, Any]) -> None:
    """The choice has no form in a chat, and names no object in the provider's account."""
    read = read_tool_choice(choice, TABLE)

    assert (read.choice, read.changes, read.allowed) == (None, (), None)
    assert read.need is not None
    assert (read.need.param, read.need.rule, read.need.names_object) == ("tool_choice", "tool_choice", False)
    assert not read.need.can_be_left_out


@pytest.mark.parametrize(
    ("choice", "param"),
    [
        (7, "tool_choice"),
        ("f", "tool_choice"),
        ([], "tool_choice"),
        ({}, "tool_choice.type"),
        ({"type": "unheard_of"}, "tool_choice.type"),
        ({"type": "namespace", "name": "n"}, "tool_choice.type"),
        ({"type": 7}, "tool_choice.type"),
        ({"type": "function"}, "tool_choice.name"),
        ({"type": "function", "name": 7}, "tool_choice.name"),
        ({"type": "function", "name": "gone"}, "tool_choice.name"),
        ({"type": "function", "function": {"name": "f"}}, "tool_choice.name"),
        ({"type": "allowed_tools"}, "tool_choice.tools"),
        ({"type": "allowed_tools", "mode": "none", "tools": []}, "tool_choice.mode"),
        ({"type": "allowed_tools", "mode": "auto", "tools": [7]}, "tool_choice.tools[0]"),
        (
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "x"}]},
            "tool_choice.tools[0].name",
        ),
    ],
)
def test_choice_of_no_tool_is_refused(choice: Any, param: str) -> None:
    """A choice that forces a tool which is not there, or cannot be read, is refused with its place."""
    with pytest.raises(Unrepairable) as caught:
        read_tool_choice(choice, TABLE)

    assert caught.value.param == param
