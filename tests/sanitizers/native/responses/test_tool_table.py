"""Tests of the table of tools: names there and back."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.responses.tool_table import DeclaredTool, server_tool
from sanitizers.native.responses.tools import read_tools


def space(name: str, *tools: dict[str, Any]) -> dict[str, Any]:
    """Return a namespace."""
    return {"type": "namespace", "name": name, "tools": [*tools]}


F, G, X = ({"type": "function", "name": name} for name in "fgx")
TABLE = read_tools(
    [F, space("n", F, G), space("m", G, X), space("functions", {"type": "custom", "name": "exec"})], []
)


@pytest.mark.parametrize(
    ("name", "namespace", "flat"),
    [
        ("f", None, "f"),
        ("f", "n", "n__f"),
        ("f", "functions", "f"),
        ("exec", None, "exec"),
        ("exec", "functions", "exec"),
        ("x", None, "m__x"),  # the one namespace that has it
        ("g", None, "g"),  # two have it: none is guessed
        ("n__g", None, "n__g"),
        ("gone", None, "gone"),
        ("gone", "n", "n__gone"),
        ("f", "gone", "gone__f"),
        ("", "n", ""),
        ("", None, ""),
    ],
)
def test_flat_name_of_a_call(name: str, namespace: str | None, flat: str) -> None:
    """A call is named by the table, also where a client lost its namespace."""
    assert TABLE.flat_name(name, namespace) == flat


def test_undeclared_call_takes_no_name_of_a_tool() -> None:
    """An old call whose joined name is that of another tool gets another name."""
    table = read_tools([space("a", {"type": "function", "name": "b__c"})], [])

    assert table.flat_name("c", "a__b") not in table.by_flat_name
    assert table.flat_name("c", "a__b") == table.flat_name("c", "a__b")


def test_declared_tool_is_restored_exactly() -> None:
    """A tool gets its namespace and name back, since codex runs exact pairs alone."""
    assert TABLE.declared("n__f") == DeclaredTool("function", "f", "n")
    assert TABLE.declared("exec") == DeclaredTool("custom", "exec", "functions")
    assert TABLE.declared("n__x") is None


def test_client_tool_has_a_name_of_its_own() -> None:
    """A tool that the client runs is told apart from a function of its name, whether it is declared or not."""
    shell = {"type": "function", "name": "shell"}
    both = read_tools([shell, {"type": "shell"}], [])

    assert both.client_name("shell") not in ("shell", "")
    assert both.declared(both.client_name("shell")) == DeclaredTool("shell", "shell")
    assert read_tools([{"type": "shell"}], []).client_name("shell") == "shell"
    assert read_tools([], []).client_name("computer") == "computer"
    assert read_tools([shell], []).client_name("shell") != "shell"


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        ("web_search", "web_search"),
        ("web_search_2025_08_26", "web_search"),
        ("web_search_preview_2025_03_11", "web_search"),
        ("computer_use_preview", "computer"),
        ("mcp", "mcp"),
        ("unheard_of", None),
        ("shell", None),
    ],
)
def test_server_tool_is_known_by_its_undated_type(kind: str, known: str | None) -> None:
    """Dated types are known by their beginning."""
    assert server_tool(kind) == known
