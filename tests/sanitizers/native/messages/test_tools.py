"""Tests of reading the tools of a Messages request."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_chat.parameters import check_parameter
from sanitizers import Unrepairable
from sanitizers.native.messages.tools import read_tools

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "$schema": "x"}


@pytest.mark.parametrize(
    ("tool", "function"),
    [
        ({"name": "f"}, {"name": "f"}),
        ({"name": "f", "type": "custom", "input_schema": None}, {"name": "f"}),
        (
            {"name": "f", "description": "d", "input_schema": SCHEMA, "strict": True},
            {"name": "f", "description": "d", "parameters": SCHEMA, "strict": True},
        ),
    ],
)
def test_custom_tool_becomes_a_function(tool: dict[str, Any], function: dict[str, Any]) -> None:
    """A tool with a schema becomes a function, and nothing is reported."""
    read = read_tools([tool])

    assert read.chat_tools == [{"type": "function", "function": function}]
    assert (read.changes, read.needs) == ((), ())
    check_parameter("tools", read.chat_tools)


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [
        ("bash_20250124", "bash", "restart"),
        ("text_editor_20250124", "str_replace_editor", "new_str"),
        ("text_editor_20250728", "str_replace_based_edit_tool", "insert_text"),
        ("memory_20250818", "memory", "old_path"),
    ],
)
def test_tool_of_the_client_becomes_a_function(kind: str, name: str, field: str) -> None:
    """A tool that the client runs is declared with its documented input, under the client's own name."""
    [usual] = read_tools([{"type": kind}]).chat_tools
    [named] = read_tools([{"type": kind, "name": "own"}]).chat_tools

    assert usual["function"]["name"] == name
    assert field in usual["function"]["parameters"]["properties"]
    assert named["function"]["name"] == "own"
    check_parameter("tools", [usual, named])


@pytest.mark.parametrize(
    ("kind", "reason", "detail"),
    [
        ("web_search_20250305", "server_tool", "tools.1:web_search"),
        ("web_fetch_20250910", "server_tool", "tools.1:web_fetch"),
        ("code_execution_20250825", "server_tool", "tools.1:code_execution"),
        ("tool_search_tool_bm25", "server_tool", "tools.1:tool_search_tool"),
        ("a client's words", "unknown_tool", "tools.1"),
    ],
)
def test_tool_of_the_server_is_left_out_and_reported(kind: str, reason: str, detail: str) -> None:
    """A tool that Anthropic runs is left out. The report holds no word of the client's."""
    read = read_tools([{"name": "f"}, {"type": kind, "name": "s"}])
    [change] = read.changes

    assert [tool["function"]["name"] for tool in read.chat_tools] == ["f"]
    assert (change.step, change.kind, change.index, change.reason) == ("items", "dropped", 1, reason)
    assert change.detail == detail
    assert read.needs == ()


@pytest.mark.parametrize("kind", ["computer_20250124", "mcp_toolset", "browser_toolset_2026"])
def test_tool_of_claude_alone_is_a_need(kind: str) -> None:
    """Other models are not asked without a tool that changes what the model can do."""
    read = read_tools([{"type": kind, "name": "c"}])
    [need] = read.needs

    assert (read.chat_tools, read.changes) == ([], ())
    assert need.param == "tools.0"
    assert need.message.startswith("tools.0: ")


def test_fields_of_claude_alone_are_reported() -> None:
    """A field that a chat lacks is reported, and a cache mark stays for wires that have it."""
    mark = {"type": "ephemeral"}
    read = read_tools([{"name": "f", "cache_control": mark, "input_examples": [{}], "defer_loading": False}])

    assert read.chat_tools == [{"type": "function", "function": {"name": "f"}, "cache_control": mark}]
    assert [(change.reason, change.detail) for change in read.changes] == [
        ("tool_field", "tools.0.input_examples")
    ]


def test_later_tool_replaces_an_earlier_one_of_its_name() -> None:
    """Two tools of one name would be refused by providers."""
    read = read_tools([{"name": "f"}, {"name": "g"}, {"name": "f", "description": "new"}])

    assert [tool["function"] for tool in read.chat_tools] == [
        {"name": "f", "description": "new"},
        {"name": "g"},
    ]
    assert [(change.reason, change.index, change.detail) for change in read.changes] == [
        ("duplicate_declaration", 0, "tools.0")
    ]


@pytest.mark.parametrize("tools", [None, [], ()])
def test_no_tools_are_no_tools(tools: Any) -> None:
    """A missing or empty list is nothing to report."""
    read = read_tools(tools)

    assert (read.chat_tools, read.changes, read.names) == ([], (), ())


@pytest.mark.parametrize(
    ("tools", "param"),
    [
        ({"name": "f"}, "tools"),
        ("", "tools"),
        (["f"], "tools.0"),
        ([{"name": "f"}, {}], "tools.1.name"),
        ([{"name": ""}], "tools.0.name"),
        ([{"name": 1}], "tools.0.name"),
        ([{"name": "f", "description": []}], "tools.0.description"),
        ([{"name": "f", "input_schema": []}], "tools.0.input_schema"),
        ([{"name": "f", "type": 7}], "tools.0.type"),
        ([{"type": "bash_20250124", "name": []}], "tools.0.name"),
    ],
)
def test_unreadable_tool_is_refused_by_its_place(tools: Any, param: str) -> None:
    """The error names the place in Anthropic's spelling, first of all."""
    with pytest.raises(Unrepairable) as caught:
        read_tools(tools)

    assert caught.value.param == param
    assert caught.value.message.startswith(f"{param}: ")
