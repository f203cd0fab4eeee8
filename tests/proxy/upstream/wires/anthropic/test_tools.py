"""Tests of tools and tool choice in Anthropic's form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.upstream.wires.anthropic.tools import tool_fields

Item = dict[str, Any]
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
NOTHING = {"type": "object", "properties": {}}
MARK = {"type": "ephemeral"}


def function(**fields: Any) -> Item:
    """Return a function's tool."""
    return {"type": "function", "function": {"name": "f", **fields}}


@pytest.mark.parametrize(
    ("tool", "written"),
    [
        (function(), {"name": "f", "input_schema": NOTHING}),
        (
            function(description="d", parameters=SCHEMA, strict=True),
            {"name": "f", "description": "d", "input_schema": SCHEMA, "strict": True},
        ),
        (function(description="", strict=False), {"name": "f", "input_schema": NOTHING}),
        (
            {**function(), "cache_control": MARK},
            {"name": "f", "input_schema": NOTHING, "cache_control": MARK},
        ),
        (function(cache_control=MARK), {"name": "f", "input_schema": NOTHING, "cache_control": MARK}),
    ],
)
def test_tool_has_its_schema_and_its_mark(tool: Item, written: Item) -> None:
    """A tool without parameters has an empty schema, since one is required."""
    assert tool_fields({"tools": [tool]}, strict=True) == {"tools": [written]}


def test_strict_is_left_out_where_the_model_has_no_such_field() -> None:
    """Older models refuse it."""
    [tool] = tool_fields({"tools": [function(strict=True)]}, strict=False)["tools"]
    assert tool == {"name": "f", "input_schema": NOTHING}


@pytest.mark.parametrize(
    ("parameters", "choice"),
    [
        ({}, None),
        ({"tool_choice": None}, None),
        ({"tool_choice": "auto"}, {"type": "auto"}),
        ({"tool_choice": "required"}, {"type": "any"}),
        ({"tool_choice": "none"}, {"type": "none"}),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            {"type": "tool", "name": "f"},
        ),
        ({"parallel_tool_calls": True}, None),
        ({"parallel_tool_calls": False}, {"type": "auto", "disable_parallel_tool_use": True}),
        (
            {"parallel_tool_calls": False, "tool_choice": "required"},
            {"type": "any", "disable_parallel_tool_use": True},
        ),
        ({"parallel_tool_calls": False, "tool_choice": "none"}, {"type": "none"}),
    ],
)
def test_choice_has_anthropic_s_form(parameters: Item, choice: Item | None) -> None:
    """A request for single calls is a part of the choice."""
    fields = tool_fields({"tools": [function()], **parameters}, strict=False)
    assert fields.get("tool_choice") == choice


def test_choice_without_tools_is_left_out() -> None:
    """Anthropic refuses a choice without tools."""
    assert tool_fields({"tool_choice": "auto", "parallel_tool_calls": False}, strict=False) == {}


def test_tool_that_is_no_function_is_refused() -> None:
    """The place is named."""
    with pytest.raises(InvalidRequest) as refusal:
        tool_fields({"tools": [function(), {"type": "custom", "custom": {"name": "x"}}]}, strict=False)
    assert refusal.value.param == "tools[1].type"
