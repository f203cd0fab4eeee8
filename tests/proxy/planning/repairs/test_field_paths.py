"""Tests of the fields that Anthropic's errors name by their paths."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from proxy.planning.repairs.field_paths import without_field

BODY: dict[str, Any] = {
    "a": 1,
    "tools": [{"name": "f"}, {"name": "g", "input_examples": [1]}],
    "messages": [
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "x": 1}]}]}
    ],
}


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("a", {"tools": BODY["tools"], "messages": BODY["messages"]}),
        ("tools.1.custom.input_examples", {**BODY, "tools": [{"name": "f"}, {"name": "g"}]}),
        (
            "messages.0.content.0.tool_result.content.0.text.x",
            {
                **BODY,
                "messages": [
                    {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text"}]}]}
                ],
            },
        ),
    ],
)
def test_field_is_left_out_by_its_path(path: str, left: dict[str, Any]) -> None:
    """The types of entries in a path are no fields. What is not on the way stays the same object."""
    before = copy.deepcopy(BODY)
    done = without_field(BODY, path.split("."))

    assert done == left
    assert before == BODY
    assert path == "a" or done["a"] is BODY["a"]


@pytest.mark.parametrize(
    "path", ["", "b", "tools.7.x", "tools.x", "a.b.c", "tools.0.custom.input_examples", "tools.99999999.x"]
)
def test_unknown_path_changes_nothing(path: str) -> None:
    """A path that leads nowhere leaves the very same value."""
    assert without_field(BODY, path.split(".")) is BODY
