"""Tests that each function is declared once in the tools of Gemini's API."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.gemini.mend_tools import without_duplicates
from sanitizers.native.gemini.tools import read_tools

F, NEWER_F, G = {"name": "f"}, {"name": "f", "description": "newer"}, {"name": "g"}


def by_name(tools: Any) -> dict[str, Any]:
    """Return the functions that a chat has of *tools*."""
    return {tool["function"]["name"]: tool for tool in read_tools(tools).chat_tools}


@pytest.mark.parametrize(
    ("tools", "kept", "dropped"),
    [
        ([{"functionDeclarations": [F, G]}], [{"functionDeclarations": [F, G]}], []),
        (
            [{"functionDeclarations": [F, G, NEWER_F]}],
            [{"functionDeclarations": [G, NEWER_F]}],
            ["tools[0].functionDeclarations[0]"],
        ),
        (
            [{"function_declarations": [F]}, {"functionDeclarations": [NEWER_F]}],
            [{"functionDeclarations": [NEWER_F]}],
            ["tools[0].functionDeclarations[0]"],
        ),
        (
            [{"functionDeclarations": F, "googleSearch": {}}, {"functionDeclarations": NEWER_F}],
            [{"googleSearch": {}}, {"functionDeclarations": NEWER_F}],
            ["tools[0].functionDeclarations[0]"],
        ),
        ({"functionDeclarations": [F]}, [{"functionDeclarations": [F]}], []),
    ],
)
def test_last_declaration_of_a_name_stays(tools: Any, kept: Any, dropped: list[str]) -> None:
    """The chat form keeps the same ones."""
    mended, changes = without_duplicates(tools)

    assert mended == kept
    assert [change.detail for change in changes] == dropped
    assert by_name(mended) == by_name(tools)


def test_tool_without_a_duplicate_stays_the_same_object() -> None:
    tools = [{"functionDeclarations": [F]}, {"googleSearch": {}}]

    mended, _ = without_duplicates(tools)

    assert [id(tool) for tool in mended] == [id(tool) for tool in tools]
