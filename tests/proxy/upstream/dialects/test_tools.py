"""Tests of tools and tool choice: a choice without tools, the old form, and a choice that cannot be expressed."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.dialects import Dialect
from proxy.upstream.dialects.table import ANTHROPIC, COMPATIBLE, GROQ, MESSAGES, OLLAMA
from tests.proxy.upstream.dialects.fitted import (
    CALLED,
    NAMED,
    OTHER,
    TOOL,
    Row,
    changes_of,
    check_refused,
    check_rule,
    fit,
)
from tests.support.builders import assistant, call, tool

TOOLS: list[Row] = [
    (
        COMPATIBLE,
        {"tools": [], "tool_choice": "required", "parallel_tool_calls": False},
        {},
        "dropped empty tools, dropped no_tools tool_choice, dropped no_tools parallel_tool_calls",
    ),
    (COMPATIBLE, {"function_call": "auto"}, {}, "dropped no_tools function_call"),
    (
        ANTHROPIC,
        {
            "functions": [{"name": "leap"}, {"name": "look"}],
            "tools": [TOOL],
            "function_call": {"name": "leap"},
        },
        {"tools": [TOOL, OTHER], "tool_choice": {"type": "function", "function": {"name": "leap"}}},
        "replaced legacy_form functions, replaced legacy_form function_call",
    ),
    (
        ANTHROPIC,
        {"tools": [TOOL], "tool_choice": "auto", "function_call": "none"},
        {"tools": [TOOL], "tool_choice": "auto"},
        "dropped two_choices function_call",
    ),
    (
        GROQ,
        {"tools": [{**TOOL, "cache_control": {"type": "ephemeral"}}, OTHER]},
        {"tools": [TOOL, OTHER]},
        "replaced cache_mark tools",
    ),
    (GROQ, {"tools": [TOOL]}, {}, ""),
    (COMPATIBLE, {"tools": [{**TOOL, "cache_control": {"type": "ephemeral"}}]}, {}, ""),
    (COMPATIBLE, {"functions": [{"name": "look"}]}, {"functions": [{"name": "look"}]}, ""),
    (OLLAMA, {"tools": [TOOL], "tool_choice": "auto"}, {"tools": [TOOL]}, ""),
    (
        OLLAMA,
        {"tools": [TOOL], "tool_choice": "required"},
        {"tools": [TOOL]},
        "dropped not_available tool_choice",
    ),
    (
        OLLAMA,
        {"tools": [TOOL], "tool_choice": "none", "parallel_tool_calls": True},
        {},
        "dropped not_available tool_choice, dropped tool_choice_none tools, dropped no_tools parallel_tool_calls",
    ),
    (
        Dialect("modes", choices=frozenset({"required"})),
        {"tools": [TOOL], "tool_choice": NAMED},
        {"tools": [TOOL], "tool_choice": "required"},
        "replaced not_available tool_choice",
    ),
    (
        Dialect("modes", choices=frozenset({"required"})),
        {"tools": [TOOL, OTHER], "tool_choice": NAMED},
        {"tools": [TOOL, OTHER]},
        "dropped not_available tool_choice",
    ),
]


@pytest.mark.parametrize("row", TOOLS)
def test_tools_are_those_that_the_dialect_takes(row: Row) -> None:
    """Empty lists are dropped, the old form is rewritten, and the choice is expressed as nearly as possible."""
    check_rule(*row)


@pytest.mark.parametrize(
    ("dialect", "parameters", "param"),
    [
        (COMPATIBLE, {"tool_choice": NAMED}, "tool_choice"),
        (COMPATIBLE, {"tools": [OTHER], "tool_choice": NAMED}, "tool_choice"),
        (COMPATIBLE, {"functions": [{"name": "leap"}], "function_call": {"name": "look"}}, "function_call"),
        (ANTHROPIC, {"functions": [{"name": "leap"}], "function_call": "leap"}, "function_call"),
    ],
)
def test_a_choice_of_an_undeclared_function_is_refused(
    dialect: Dialect, parameters: dict[str, Any], param: str
) -> None:
    """A model could not call an undeclared function, so the choice is refused."""
    check_refused(dialect, parameters, param)


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        ({}, ""),
        ({"tools": []}, "dropped empty tools, "),
        ({"tool_choice": "auto"}, "dropped no_tools tool_choice, "),
        ({"temperature": 1}, ""),
    ],
)
def test_functions_that_the_history_calls_are_declared(given: dict[str, Any], changes: str) -> None:
    """Claude refuses calls without tools. No call is allowed, since the client declares none."""
    twice = [*CALLED, assistant(None, calls=[call("c2", "look"), call("c3", "leap")]), tool("c2", "r")]
    open_schema = {"type": "object", "properties": {}}
    declared = [
        {"type": "function", "function": {"name": name, "parameters": open_schema}}
        for name in ("look", "leap")
    ]
    fitted = fit(MESSAGES, twice, **given)

    assert fitted.parameters == {**given, "tools": declared, "tool_choice": "none"}
    made = "inserted undeclared_calls tools, inserted undeclared_calls tool_choice"
    assert changes_of(fitted) == changes + made


@pytest.mark.parametrize(
    ("dialect", "messages", "parameters"),
    [(MESSAGES, None, {}), (MESSAGES, CALLED, {"tools": [TOOL]}), (COMPATIBLE, CALLED, {})],
)
def test_nothing_is_declared_without_need(
    dialect: Dialect, messages: list[Any] | None, parameters: dict[str, Any]
) -> None:
    """A history without calls, a request with tools, and another provider need no further declaration."""
    assert fit(dialect, messages, **parameters).parameters == parameters


def test_choice_of_none_keeps_the_tools_of_a_history_with_calls() -> None:
    """Some providers refuse calls in a history without the tools."""
    fitted = fit(OLLAMA, CALLED, tools=[TOOL], tool_choice="none")

    assert fitted.parameters == {"tools": [TOOL]}
    assert changes_of(fitted) == "dropped not_available tool_choice"
