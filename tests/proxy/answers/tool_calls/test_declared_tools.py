"""Tests that a request's declared tools are found by the names that models write."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.tool_calls.declared_tools import DeclaredTools

SCHEMA = {"type": "object"}
LOOK: dict[str, Any] = {"type": "function", "function": {"name": "look", "parameters": SCHEMA}}
GO: dict[str, Any] = {"name": "functions.go"}


@pytest.mark.parametrize(
    ("written", "declared"),
    [
        ("look", "look"),
        ("default_api.look", "look"),
        ("default_api:look", "look"),
        ("functions.look", "look"),
        ("functions.go", "functions.go"),
        ("functions.functions.go", "functions.go"),
        ("tools.look", None),
        ("Look", None),
        ("", None),
    ],
)
def test_a_known_prefix_is_removed(written: str, declared: str | None) -> None:
    """A known prefix is removed from the name that a model writes, unless the whole name is declared.

    Other misspelled names are not found.
    """
    tools = DeclaredTools({"tools": [LOOK], "functions": [GO]})

    assert tools.find(written) == declared


def test_schemas_are_those_of_tools_and_functions() -> None:
    """A schema is found for tools and for functions. A tool without parameters has no schema."""
    tools = DeclaredTools({"tools": [LOOK], "functions": [GO]})

    assert tools.schema_of("look") is SCHEMA
    assert tools.schema_of("functions.go") is None


@pytest.mark.parametrize(
    ("parameters", "allows"),
    [
        ({}, True),
        ({"tools": [LOOK]}, False),
        ({"tools": [LOOK, {"type": "web_search"}]}, True),
        ({"functions": [GO]}, False),
    ],
)
def test_any_name_is_allowed_where_a_tool_has_no_name_here(parameters: dict[str, Any], allows: bool) -> None:
    """Any call name is allowed without declared tools, or with a provider's own tool of unknown call names."""
    assert DeclaredTools(parameters).allows_any() is allows


def test_the_model_s_name_of_a_renamed_tool() -> None:
    """Texts for the model use the name under which the model knows the tool."""
    tools = DeclaredTools({"tools": [LOOK]}, {"look_upstream": "look"})

    assert tools.upstream_name("look") == "look_upstream"
    assert tools.upstream_name("other") == "other"
