"""Tests of reading the tools of a request."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_chat.parameters import check_parameter
from sanitizers import Unrepairable
from sanitizers.native.responses import read_tools, unwrap_input, wrap_input

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
LARK = {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"}
INPUT = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The raw text for this tool."}},
    "required": ["input"],
}


def function_of(tool: dict[str, Any]) -> dict[str, Any]:
    """Return the one function that *tool* becomes."""
    [made] = read_tools([tool], []).chat_tools
    check_parameter("tools", [made])
    function: dict[str, Any] = made["function"]
    return function


@pytest.mark.parametrize(
    ("tool", "function"),
    [
        ({"type": "function", "name": "f"}, {"name": "f"}),
        ({"type": "function", "name": "f", "parameters": None, "strict": None}, {"name": "f"}),
        (
            {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA, "strict": True},
            {"name": "f", "description": "d", "parameters": SCHEMA, "strict": True},
        ),
        ({"type": "function", "name": "f", "strict": False}, {"name": "f", "strict": False}),
        ({"type": "custom", "name": "c"}, {"name": "c", "description": "", "parameters": INPUT}),
        (
            {"type": "custom", "name": "c", "description": "d", "format": LARK},
            {
                "name": "c",
                "description": "d\n\nThe text in `input` must match this lark grammar:\n\nstart: /.+/",
                "parameters": INPUT,
            },
        ),
        (
            {"type": "custom", "name": "c", "description": "d", "format": {"type": "text"}},
            {"name": "c", "description": "d", "parameters": INPUT},
        ),
    ],
)
def test_tool_becomes_a_function(tool: dict[str, Any], function: dict[str, Any]) -> None:
    """A tool becomes a function of chat's. ``strict`` is there only where the client said it."""
    assert function_of(tool) == function


def test_namespace_becomes_flat_functions() -> None:
    """The tools of a namespace become functions, and the first one tells of the namespace."""
    inner = [{"type": "function", "name": "f", "description": "d"}, {"type": "custom", "name": "c"}]
    table = read_tools([{"type": "namespace", "name": "n", "description": "About.", "tools": inner}], [])
    functions = [tool["function"] for tool in table.chat_tools]

    assert [(one["name"], one["description"]) for one in functions] == [
        ("n__f", "[n: About.]\n\nd"),
        ("n__c", ""),
    ]
    assert [table.by_flat_name[name].kind for name in ("n__f", "n__c")] == ["function", "custom"]


def test_tools_of_items_join_the_table() -> None:
    """Tools in items are read: codex puts its tools there (CLIProxyAPI#4219)."""
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "exec"}]},
        {"type": "tool_search_output", "tools": [{"type": "function", "name": "found"}]},
        {"type": "tool_search_output", "tools": None},
        {"type": "unheard_of", "tools": [{"type": "function", "name": "not read"}]},
    ]
    table = read_tools([{"type": "function", "name": "f"}], items)

    assert [*table.by_flat_name] == ["f", "exec", "found"]
    assert table.changes == ()


def test_tool_that_is_declared_again_is_replaced_in_its_place() -> None:
    """A later declaration replaces an earlier one of the same tool."""
    again = {"type": "additional_tools", "tools": [{"type": "custom", "name": "f", "description": "new"}]}
    table = read_tools([{"type": "function", "name": "f"}, {"type": "function", "name": "g"}], [again])

    assert [tool["function"]["name"] for tool in table.chat_tools] == ["f", "g"]
    assert [declared.kind for declared in table.by_flat_name.values()] == ["custom", "function"]


@pytest.mark.parametrize(
    ("tool", "reason", "detail"),
    [
        ({"type": "web_search"}, "server_tool", "tools[1]:web_search"),
        ({"type": "web_search_2025_08_26"}, "server_tool", "tools[1]:web_search"),
        ({"type": "mcp", "server_label": "x"}, "server_tool", "tools[1]:mcp"),
        ({"type": "computer_use_preview"}, "server_tool", "tools[1]:computer"),
        ({"type": "shell", "environment": {"type": "container_auto"}}, "server_tool", "tools[1]:shell"),
        ({"type": "a client's words"}, "unknown_tool", "tools[1]"),
    ],
)
def test_tool_of_the_server_is_left_out_and_reported(tool: dict[str, Any], reason: str, detail: str) -> None:
    """A tool that other models lack is left out (llama.cpp#20156), and the report holds no word of the client's."""
    table = read_tools([{"type": "function", "name": "f"}, tool], [])
    [change] = table.changes

    assert len(table.chat_tools) == 1
    assert (change.step, change.kind, change.index) == ("items", "dropped", 1)
    assert (change.reason, change.detail) == (reason, detail)


def test_report_of_an_inner_tool_has_its_place() -> None:
    """A tool in an item or a namespace is reported with its whole place."""
    space = {"type": "namespace", "name": "n", "tools": [{"type": "namespace", "name": "m", "tools": []}]}
    items: list[dict[str, Any]] = [
        {"role": "user"},
        {"type": "additional_tools", "tools": [{"type": "web_search"}, space]},
    ]

    assert [(change.index, change.detail) for change in read_tools(None, items).changes] == [
        (1, "input[1].tools[0]:web_search"),
        (1, "input[1].tools[1].tools[0]"),
    ]


@pytest.mark.parametrize("kind", ["local_shell", "shell", "apply_patch"])
def test_tool_of_the_client_becomes_a_function(kind: str) -> None:
    """A tool that the client runs becomes a function with its action as arguments."""
    function = function_of({"type": kind, "environment": {"type": "local"}})

    assert function["name"] == kind
    assert function["parameters"]["required"]


@pytest.mark.parametrize(
    ("tools", "items", "param"),
    [
        ({}, [], "tools"),
        ("x", [], "tools"),
        ([7], [], "tools[0]"),
        ([{}], [], "tools[0].type"),
        ([{"type": 7}], [], "tools[0].type"),
        ([{"type": "function"}], [], "tools[0].name"),
        ([{"type": "function", "name": ""}], [], "tools[0].name"),
        ([{"type": "function", "name": 7}], [], "tools[0].name"),
        ([{"type": "function", "function": {"name": "chat's form"}}], [], "tools[0].name"),
        ([{"type": "function", "name": "f", "parameters": []}], [], "tools[0].parameters"),
        ([{"type": "custom", "name": "c", "description": 7}], [], "tools[0].description"),
        ([{"type": "namespace", "tools": []}], [], "tools[0].name"),
        ([{"type": "namespace", "name": "n", "tools": {"a": 1}}], [], "tools[0].tools"),
        ([{"type": "namespace", "name": "n", "tools": [{"type": "custom"}]}], [], "tools[0].tools[0].name"),
        (None, [{"type": "additional_tools"}], "input[0].tools"),
        (None, [7, {"type": "additional_tools", "tools": [{"type": "function"}]}], "input[1].tools[0].name"),
        (None, [{"type": "tool_search_output", "tools": 7}], "input[0].tools"),
    ],
)
def test_tool_that_cannot_be_read_is_refused(tools: Any, items: list[Any], param: str) -> None:
    """A tool without a name or of a wrong form is refused with its place."""
    with pytest.raises(Unrepairable) as caught:
        read_tools(tools, items)

    assert caught.value.param == param


@pytest.mark.parametrize("text", ["", "text('hi')", 'a "quoted" \n line', '{"input": "x"}'])
def test_input_of_a_custom_tool_comes_back(text: str) -> None:
    """A raw text is wrapped and comes back."""
    assert unwrap_input(wrap_input(text, "input[0].input")) == text


@pytest.mark.parametrize("arguments", ["", "raw", "{}", '{"input": 7}', '{"other": "x"}', "[1]"])
def test_arguments_without_the_input_are_the_input(arguments: str) -> None:
    """A model that writes the raw text alone is understood."""
    assert unwrap_input(arguments) == arguments


def test_no_tools_give_an_empty_table() -> None:
    """A request without tools has an empty table."""
    table = read_tools(None, [{"role": "user"}])

    assert (table.chat_tools, dict(table.by_flat_name), table.changes) == ([], {}, ())
