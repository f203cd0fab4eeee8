"""Tests of reading which functions the model must call."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.gemini.tool_choice import read_tool_choice
from sanitizers.native.gemini.tools import read_tools

TOOLS = read_tools([{"functionDeclarations": [{"name": name} for name in "fgh"]}])
SEARCH = read_tools([{"googleSearch": {}}])
NONE = read_tools(None)
F = {"type": "function", "function": {"name": "f"}}
CALLING = "toolConfig.functionCallingConfig"


def calling(mode: Any, *names: Any) -> dict[str, Any]:
    """Return a tool configuration with a mode and allowed names."""
    config = {"mode": mode, "allowedFunctionNames": [*names]} if names else {"mode": mode}
    return {"functionCallingConfig": config}


@pytest.mark.parametrize(
    ("mode", "choice"),
    [
        ("AUTO", "auto"),
        ("any", "required"),
        ("None", "none"),
        ("VALIDATED", "auto"),
        ("MODE_UNSPECIFIED", None),
        (None, None),
        (2, "required"),
    ],
)
def test_mode_becomes_a_choice(mode: Any, choice: str | None) -> None:
    """All tools stay, as the very list, and nothing is reported."""
    for config in (calling(mode), {"function_calling_config": {"mode": mode}}):
        read = read_tool_choice(config, TOOLS)

        assert (read.choice, read.changes) == (choice, ())
        assert read.chat_tools is TOOLS.chat_tools


@pytest.mark.parametrize("config", [None, {}, {"functionCallingConfig": None}])
def test_missing_choice_is_none(config: Any) -> None:
    """Providers choose for themselves."""
    assert read_tool_choice(config, TOOLS) == (None, TOOLS.chat_tools, ())


def test_one_allowed_name_forces_that_function() -> None:
    """No tool is left out, so that the provider's cache of tools stays."""
    for names in (["f"], ["f", "f"]):
        read = read_tool_choice(calling("ANY", *names), TOOLS)

        assert (read.choice, read.changes) == (F, ())
        assert read.chat_tools is TOOLS.chat_tools


@pytest.mark.parametrize(
    ("mode", "names", "choice", "kept"),
    [
        ("ANY", "hf", "required", ["f", "h"]),
        ("VALIDATED", "g", "auto", ["g"]),
        ("VALIDATED", "gh", "auto", ["g", "h"]),
    ],
)
def test_other_tools_are_left_out_where_names_are_allowed(
    mode: str, names: str, choice: str, kept: list[str]
) -> None:
    """The model gets the allowed functions alone, in their order."""
    read = read_tool_choice(calling(mode, *names), TOOLS)

    assert read.choice == choice
    assert [tool["function"]["name"] for tool in read.chat_tools] == kept
    [change] = read.changes
    assert (change.kind, change.reason, change.detail) == (
        "dropped",
        "not_allowed",
        f"{CALLING}.allowedFunctionNames",
    )


def test_all_names_leave_nothing_out() -> None:
    """The list stays the same object."""
    read = read_tool_choice(calling("ANY", *"fgh"), TOOLS)

    assert (read.choice, read.changes) == ("required", ())
    assert read.chat_tools is TOOLS.chat_tools


@pytest.mark.parametrize("mode", ["AUTO", "NONE"])
def test_names_do_not_count_in_other_modes(mode: str) -> None:
    """They are reported."""
    read = read_tool_choice(calling(mode, "f"), TOOLS)

    assert read.choice == mode.lower()
    assert read.chat_tools is TOOLS.chat_tools
    assert [(change.reason, change.detail) for change in read.changes] == [
        ("gemini_field", f"{CALLING}.allowedFunctionNames")
    ]


@pytest.mark.parametrize(("tools", "reason"), [(SEARCH, "no_tool_left"), (NONE, "no_tools")])
def test_choice_without_functions_is_left_out(tools: Any, reason: str) -> None:
    """Providers refuse such a choice."""
    for names in ((), ("f",)):
        read = read_tool_choice(calling("ANY", *names), tools)

        assert (read.choice, read.chat_tools) == (None, [])
        assert [change.reason for change in read.changes] == [reason]


@pytest.mark.parametrize(
    ("config", "detail"),
    [
        ({"retrievalConfig": {"latLng": {}}}, "toolConfig.retrievalConfig"),
        ({"include_server_side_tool_invocations": True}, "toolConfig.includeServerSideToolInvocations"),
        (
            {"functionCallingConfig": {"streamFunctionCallArguments": True}},
            f"{CALLING}.streamFunctionCallArguments",
        ),
    ],
)
def test_field_of_gemini_alone_is_reported(config: Any, detail: str) -> None:
    """A chat has no place for it."""
    [change] = read_tool_choice(config, TOOLS).changes

    assert (change.reason, change.detail) == ("gemini_field", detail)


@pytest.mark.parametrize(
    ("config", "param"),
    [
        ("x", "toolConfig"),
        ({"functionCallingConfig": "ANY"}, CALLING),
        (calling("some"), f"{CALLING}.mode"),
        (calling([]), f"{CALLING}.mode"),
        (calling("ANY", 1), f"{CALLING}.allowedFunctionNames[0]"),
        (calling("ANY", "f", "x"), f"{CALLING}.allowedFunctionNames[1]"),
        (calling("ANY", *["f"] * 2_049), f"{CALLING}.allowedFunctionNames"),
        ({"functionCallingConfig": {}, "function_calling_config": {}}, CALLING),
    ],
)
def test_unreadable_choice_is_refused_with_its_path(config: Any, param: str) -> None:
    """No value is named."""
    with pytest.raises(Unrepairable) as caught:
        read_tool_choice(config, TOOLS)
    assert caught.value.param == param
