"""Tests of tool declarations and the tool choice in requests to Gemini."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.emulator import judge
from proxy.upstream.wires.gemini import build_request
from sanitizers.gemini_profiles import GEMINI_3
from tests.support.builders import user

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
CLEAN = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}


def function(name: str = "f", **extra: Any) -> dict[str, Any]:
    """Return a function definition."""
    return {"name": name, **extra}


def tool(name: str = "f", **extra: Any) -> dict[str, Any]:
    """Return a tool."""
    return {"type": "function", "function": function(name, **extra)}


def body(**parameters: Any) -> dict[str, Any]:
    """Return the request's fields without its contents. The emulator's judge must accept the request."""
    request = build_request([user("a")], parameters, GEMINI_3, "gemini-3-pro-preview")
    assert judge("gemini-3-pro-preview", request) is None
    request.pop("contents")
    return request


@pytest.mark.parametrize(
    ("parameters", "declared"),
    [
        ({"tools": [tool()]}, [{"name": "f"}]),
        (
            {"tools": [tool(description="d", parameters=SCHEMA, strict=True), tool("g")]},
            [{"name": "f", "description": "d", "parameters": CLEAN}, {"name": "g"}],
        ),
        ({"functions": [function(parameters=SCHEMA)]}, [{"name": "f", "parameters": CLEAN}]),
        ({"tools": [tool()], "functions": [function("g")]}, [{"name": "f"}, {"name": "g"}]),
        ({"tools": [tool(description="1"), tool(description="2")]}, [{"name": "f", "description": "1"}]),
        ({"tools": [tool(parameters={"type": "object"}, description="")]}, [{"name": "f"}]),
    ],
)
def test_functions_are_declared_once_in_one_tool_object(
    parameters: dict[str, Any], declared: list[dict[str, Any]]
) -> None:
    """All functions are in one tool object, since some of Gemini's APIs refuse several."""
    assert body(**parameters) == {"tools": [{"functionDeclarations": declared}]}


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        ({"tool_choice": "none"}, {"mode": "NONE"}),
        ({"tool_choice": "auto"}, {"mode": "AUTO"}),
        ({"tool_choice": "required"}, {"mode": "ANY"}),
        (
            {"tool_choice": {"type": "function", "function": {"name": "g"}}},
            {"mode": "ANY", "allowedFunctionNames": ["g"]},
        ),
        ({"function_call": "auto"}, {"mode": "AUTO"}),
        ({"function_call": {"name": "g"}}, {"mode": "ANY", "allowedFunctionNames": ["g"]}),
        ({"tool_choice": "none", "function_call": "auto"}, {"mode": "NONE"}),
    ],
)
def test_each_tool_choice_is_a_mode(choice: dict[str, Any], config: dict[str, Any]) -> None:
    """The legacy ``function_call`` is used only where a request has no ``tool_choice``."""
    assert body(tools=[tool(), tool("g")], **choice)["toolConfig"] == {"functionCallingConfig": config}


@pytest.mark.parametrize("parameters", [{"tool_choice": "auto"}, {"tools": [], "tool_choice": "required"}])
def test_tool_choice_without_declarations_is_left_out(parameters: dict[str, Any]) -> None:
    """Gemini refuses a tool choice in a request without declarations."""
    assert body(**parameters) == {}


@pytest.mark.parametrize("name", ["tool_choice", "function_call"])
@pytest.mark.parametrize("choice", ["any", {"name": "h"}, {"function": "f"}, {}, {"type": "allowed_tools"}])
def test_unknown_tool_choice_is_refused(name: str, choice: Any) -> None:
    """The wire refuses an unknown tool choice and does not replace it by ``auto``."""
    with pytest.raises(InvalidRequest) as caught:
        body(tools=[tool()], **{name: choice})

    assert caught.value.param == name


def test_cached_schema_is_found_by_its_whole_content() -> None:
    """A schema in which one type has changed is translated again."""

    def declared(schema: Any) -> Any:
        return body(tools=[tool(parameters=schema)])["tools"][0]["functionDeclarations"][0]["parameters"]

    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    first = declared(schema)
    assert first == declared(schema) == CLEAN

    schema["properties"]["a"]["type"] = "integer"
    assert declared(schema)["properties"] == {"a": {"type": "INTEGER"}}
    assert first == CLEAN
