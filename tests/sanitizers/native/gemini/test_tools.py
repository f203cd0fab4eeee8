"""Tests of reading the tools of a request to Gemini."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_chat.parameters import check_parameter
from sanitizers import Change, Unrepairable
from sanitizers.native.gemini.tools import (
    COMMON_TOOLS,
    MOST_DECLARATIONS,
    RULE,
    BuiltInTool,
    common_tools,
    read_tools,
)

F = {"name": "f"}


def declare(*declarations: dict[str, Any]) -> dict[str, Any]:
    """Return a tool object that declares functions."""
    return {"functionDeclarations": [*declarations]}


@pytest.mark.parametrize(
    ("declaration", "function"),
    [
        (F, F),
        ({**F, "description": ""}, F),
        ({**F, "description": "d", "parameters": None}, {**F, "description": "d"}),
        (
            {**F, "parameters": {"type": "OBJECT", "properties": {"a": {"type": "STRING", "min_length": 1}}}},
            {
                **F,
                "parameters": {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}},
            },
        ),
        (
            {**F, "parameters_json_schema": {"type": "OBJECT", "min_length": 1}},
            {**F, "parameters": {"type": "object", "min_length": 1}},
        ),
        (
            {**F, "parametersJsonSchema": {"title": "j"}, "parameters": {"title": "p"}},
            {**F, "parameters": {"title": "j"}},
        ),
    ],
)
def test_declaration_becomes_a_function(declaration: dict[str, Any], function: dict[str, Any]) -> None:
    """Both fields of parameters are read, and nothing is reported."""
    for tools in ([declare(declaration)], {"function_declarations": declaration}):
        read = read_tools(tools)

        assert read.chat_tools == [{"type": "function", "function": function}]
        assert (read.changes, read.needs, read.built_in) == ((), (), ())
        assert read.names == ["f"]
        assert not read.is_only_built_in
        check_parameter("tools", read.chat_tools)


@pytest.mark.parametrize("tools", [None, [], [{}], [declare()], [{"functionDeclarations": None}]])
def test_request_may_have_no_tools(tools: Any) -> None:
    """Empty lists and objects declare nothing."""
    read = read_tools(tools)

    assert (read.chat_tools, read.changes, read.needs, read.is_only_built_in) == ([], (), (), False)


@pytest.mark.parametrize(
    ("tools", "param"),
    [
        (["x"], "tools[0]"),
        ("x", "tools[0]"),
        ([{}, 1], "tools[1]"),
        ([{"functionDeclarations": ["x"]}], "tools[0].functionDeclarations[0]"),
        ([declare({})], "tools[0].functionDeclarations[0].name"),
        ([declare(F, {"name": 1})], "tools[0].functionDeclarations[1].name"),
        ([declare({**F, "description": 1})], "tools[0].functionDeclarations[0].description"),
        ([declare({**F, "parameters": "x"})], "tools[0].functionDeclarations[0].parameters"),
        (
            [declare({**F, "parametersJsonSchema": True})],
            "tools[0].functionDeclarations[0].parametersJsonSchema",
        ),
        (
            [declare({**F, "parameters": {}, "parameters_json_schema": {}, "parametersJsonSchema": {}})],
            "tools[0].functionDeclarations[0].parametersJsonSchema",
        ),
        ([{"googleSearch": "x"}], "tools[0].googleSearch"),
        ([{"google_search": {}, "googleSearch": {}}], "tools[0].googleSearch"),
        ([{"mcpServers": {}}], "tools[0].mcpServers"),
        (
            [declare(*({"name": f"f{n}"} for n in range(MOST_DECLARATIONS))), declare(F)],
            "tools[1].functionDeclarations[0]",
        ),
    ],
)
def test_unreadable_tool_is_refused_with_its_path(tools: Any, param: str) -> None:
    """The path has the names in camel case."""
    with pytest.raises(Unrepairable) as caught:
        read_tools(tools)
    assert caught.value.param == param
    assert param in caught.value.message


def test_later_declaration_replaces_an_earlier_one() -> None:
    """A function is declared once, and the earlier place is reported."""
    read = read_tools(
        [declare({**F, "description": "old"}), declare({"name": "g"}, {**F, "description": "new"})]
    )

    assert [tool["function"].get("description") for tool in read.chat_tools] == ["new", None]
    assert read.changes == (
        Change("items", "dropped", 0, "duplicate_declaration", "tools[0].functionDeclarations[0]"),
    )


@pytest.mark.parametrize("field", ["behavior", "response", "responseJsonSchema"])
def test_field_without_a_place_in_a_chat_is_reported(field: str) -> None:
    """A chat declares arguments alone."""
    read = read_tools([declare({**F, field: {"a": 1}})])

    assert read.changes == (
        Change("items", "dropped", 0, "gemini_field", f"tools[0].functionDeclarations[0].{field}"),
    )


@pytest.mark.parametrize("kind", [*COMMON_TOOLS, "googleMaps", "exaAiSearch"])
def test_tool_that_gemini_runs_is_left_out_beside_functions(kind: str) -> None:
    """The change names the tool as the proto does, and the functions stay."""
    read = read_tools([declare(F), {kind: {}}])
    [change] = read.changes

    assert read.names == ["f"]
    assert (change.index, change.reason) == (1, "server_tool")
    assert change.detail.startswith("tools[1]:")
    assert change.detail == change.detail.lower()
    assert read.needs == ()
    assert read.built_in == (BuiltInTool(kind, 1),)


@pytest.mark.parametrize(
    ("tools", "param", "name"),
    [
        ([{"googleSearch": {}}], "tools[0].googleSearch", "web_search"),
        ({"google_search": {}}, "tools[0].googleSearch", "web_search"),
        ([{"urlContext": {}}, {"codeExecution": {}}], "tools[0].urlContext", "web_fetch"),
        ([{"googleMaps": {}}, {"codeExecution": {}}], "tools[1].codeExecution", "code_execution"),
        ([{"googleMaps": {}}], "tools[0].googleMaps", ""),
    ],
)
def test_request_with_only_such_a_tool_needs_it(tools: Any, param: str, name: str) -> None:
    """Another model would have no tool at all. The need names a tool that another provider has, if there is one."""
    read = read_tools(tools)
    [need] = read.needs

    assert read.is_only_built_in
    assert (need.rule, need.param, need.served_elsewhere) == (RULE, param, name)
    assert not need.can_be_left_out
    assert not need.names_object


@pytest.mark.parametrize(("kind", "value"), [("computerUse", {}), ("fileSearch", {}), ("mcpServers", [])])
def test_tool_of_gemini_alone_is_a_need(kind: str, value: Any) -> None:
    """The model could do less without it. Stores of files stand in the provider's account."""
    read = read_tools([declare(F), {kind: value}])
    [need] = read.needs

    assert (need.param, need.names_object) == (f"tools[1].{kind}", kind == "fileSearch")
    assert read.changes == ()


def test_corpus_of_the_account_is_a_need_that_chats_do_not_have() -> None:
    """Other models answer from what they know, and Gemini would read what all clients share."""
    read = read_tools([declare(F), {"retrieval": {"vertexRagStore": {"ragCorpora": ["projects/p/x"]}}}])
    [need] = read.needs

    assert (need.param, need.names_object, need.can_be_left_out) == ("tools[1].retrieval", True, True)
    assert [change.reason for change in read.changes] == ["server_tool"]


def test_unknown_tool_is_reported_without_its_name() -> None:
    """The name is the client's word."""
    read = read_tools([{"a client's word": {}}])

    assert read.changes == (Change("items", "dropped", 0, "unknown_tool", "tools[0]"),)


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        (
            [{"googleSearch": {}}, {"url_context": {}}, {"codeExecution": {}}],
            ["web_search", "web_fetch", "code_execution"],
        ),
        ([{"googleSearch": {}}, {"googleSearchRetrieval": {}}], ["web_search"]),
        ([{"googleMaps": {}}, declare(F), {"googleSearch": None}], []),
        ([{"urlContext": {}}, declare({"name": "web_fetch"})], []),
    ],
)
def test_common_tool_is_named_once_and_never_as_a_function(tools: Any, names: list[str]) -> None:
    """A provider refuses two tools of one name."""
    assert [tool.common_name for tool in common_tools(tools)] == names


def test_common_tool_has_the_change_of_its_reading() -> None:
    """The change can be taken back where the tool is sent."""
    tools = [declare(F), {"google_search": {}}]

    assert [tool.left_out for tool in common_tools(tools)] == [*read_tools(tools).changes]
