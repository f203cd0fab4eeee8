"""Tests of the tools that Claude knows by name."""

from __future__ import annotations

import pytest

from sanitizers.native.messages.client_tools import CLIENT_TOOLS, ClientTool, find_client_tool


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("bash_20241022", "bash"),
        ("text_editor_20241022", "str_replace_editor"),
        ("text_editor_20250429", "str_replace_based_edit_tool"),
        ("text_editor_20270101", "str_replace_based_edit_tool"),
        ("bash", None),
        ("web_search_20250305", None),
    ],
)
def test_tool_is_found_by_the_beginning_of_its_type(kind: str, name: str | None) -> None:
    """A later date of a known tool is known too."""
    found = find_client_tool(kind)

    assert (None if found is None else found.name) == name


@pytest.mark.parametrize("tool", CLIENT_TOOLS.values(), ids=[*CLIENT_TOOLS])
def test_required_fields_are_declared(tool: ClientTool) -> None:
    """Each schema declares what it requires."""
    parameters = tool.parameters
    assert {*parameters.get("required", ())} <= {*parameters["properties"]}
