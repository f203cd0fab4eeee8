"""Tests of repairs of parameters and of schemas."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.repairs.repair_parameters import (
    drop_refused_parameters,
    drop_response_format,
    drop_tool_settings,
    simplify_response_format,
    simplify_tools,
)
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import user

TOOLS = [{"type": "function", "function": {"name": "f"}}]


@pytest.mark.parametrize(
    ("words", "given", "left"),
    [
        ("Unsupported parameter: 'top_k' is bad.", {"top_k": 1, "seed": 2}, {"seed": 2}),
        ("Unrecognized request arguments supplied: top_k, seed", {"top_k": 1, "seed": 2}, {}),
        ("Unknown parameter: 'tools'.", {"tools": TOOLS}, {"tools": TOOLS}),
        ("Unknown parameter: 'seed'.", {"top_k": 1}, {"top_k": 1}),
        ("Unsupported parameter: 'max_tokens'.", {"max_tokens": 9}, {"max_completion_tokens": 9}),
        ("Unsupported parameter: 'max_completion_tokens'.", {"max_completion_tokens": 9}, {"max_tokens": 9}),
        (
            "Unknown parameter: 'max_tokens'.",
            {"max_tokens": 9, "max_completion_tokens": 8},
            {"max_completion_tokens": 8},
        ),
        (
            "Unrecognized request arguments supplied: max_tokens, max_completion_tokens",
            {"max_tokens": 9},
            {},
        ),
    ],
)
def test_named_parameters_are_dropped_or_renamed(
    words: str, given: dict[str, Any], left: dict[str, Any]
) -> None:
    """A refused answer limit is sent under its other name, unless that name is refused or set too.

    Tools are never dropped.
    """
    draft = drop_refused_parameters(draft_of([user("go")], given), refusal(words))

    assert draft.parameters == left
    assert bool(draft.changes) is (given != left)


def test_each_dropped_parameter_is_listed_by_name() -> None:
    """A parameter's change has index 0."""
    words = "Unrecognized request arguments supplied: top_k, max_tokens"
    draft = drop_refused_parameters(draft_of([user("go")], {"max_tokens": 9, "top_k": 1}), refusal(words))

    assert listed(draft) == [
        ("dropped", 0, "refused_parameter", "top_k"),
        ("replaced", 0, "refused_parameter", "max_tokens"),
    ]


@pytest.mark.parametrize("name", ["tools", "functions"])
def test_the_answer_format_is_dropped_where_there_are_tools(name: str) -> None:
    """Without tools the client needs the format, and nothing changes."""
    given: dict[str, Any] = {"response_format": {"type": "json_object"}, name: TOOLS}

    assert drop_response_format(draft_of([user("go")], given), refusal("No.")).parameters == {name: TOOLS}
    alone = draft_of([user("go")], {"response_format": {"type": "json_object"}})
    assert drop_response_format(alone, refusal("No.")) is alone


def test_settings_for_tools_are_dropped_without_tools() -> None:
    """The settings stay where the request has tools."""
    given: dict[str, Any] = {"tool_choice": "auto", "parallel_tool_calls": True, "seed": 1, "tools": []}
    assert drop_tool_settings(draft_of([user("go")], given), refusal("No.")).parameters == {"seed": 1}

    whole = draft_of([user("go")], {**given, "tools": TOOLS})
    assert drop_tool_settings(whole, refusal("No.")) is whole


RICH: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
    "patternProperties": {"^x": {"type": "string"}},
}
PLAIN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}


def tool_of(schema: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a tool's declaration with *schema* and *fields*."""
    return {"type": "function", "function": {"name": "f", "parameters": schema, **fields}}


def test_only_tools_with_rich_schemas_change() -> None:
    """A simplified tool is no longer strict, since its schema says less."""
    plain, rich = tool_of(PLAIN, strict=True), tool_of(RICH, strict=True)
    draft = simplify_tools(
        draft_of([user("go")], {"tools": [plain, rich], "functions": None}), refusal("No.")
    )
    first, second = draft.parameters["tools"]

    assert first is plain
    assert "strict" not in second["function"]
    assert "patternProperties" not in second["function"]["parameters"]
    assert listed(draft) == [("replaced", 0, "schema", "tools[1]")]


def test_functions_are_simplified_too() -> None:
    """The older list ``functions`` has no wrapper around a function."""
    draft = simplify_tools(
        draft_of([user("go")], {"functions": [{"name": "f", "parameters": RICH}]}), refusal("No.")
    )

    assert "patternProperties" not in draft.parameters["functions"][0]["parameters"]
    assert listed(draft) == [("replaced", 0, "schema", "functions[0]")]


def test_the_answer_s_schema_is_simplified() -> None:
    """A response format without a schema leaves the draft unchanged."""
    given = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": RICH}}}
    draft = simplify_response_format(draft_of([user("go")], given), refusal("No."))
    schema = draft.parameters["response_format"]["json_schema"]["schema"]

    assert "patternProperties" not in schema
    assert listed(draft) == [("replaced", 0, "schema", "response_format")]
    other = draft_of([user("go")], {"response_format": {"type": "json_object"}})
    assert simplify_response_format(other, refusal("No.")) is other
