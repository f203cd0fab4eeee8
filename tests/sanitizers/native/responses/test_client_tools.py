"""Tests of the tools that the client runs."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from sanitizers.native.responses.client_tools import CLIENT_TOOLS, action_arguments

ACTIONS: list[tuple[str, dict[str, Any]]] = [
    ("local_shell", {"action": {"type": "exec", "command": ["ls"], "env": {}}}),
    ("local_shell", {"action": {"type": "exec", "command": ["ls"], "env": {"A": "b"}, "timeout_ms": 5}}),
    ("shell", {"action": {"commands": ["ls", "pwd"], "max_output_length": 100}}),
    ("apply_patch", {"operation": {"type": "update_file", "path": "a", "diff": "@@"}}),
    ("apply_patch", {"operation": {"type": "delete_file", "path": "a"}}),
]


@pytest.mark.parametrize(("kind", "item"), ACTIONS)
def test_action_becomes_arguments_that_its_schema_allows(kind: str, item: dict[str, Any]) -> None:
    """The arguments are the action but for its fixed fields, and the declared schema allows them."""
    tool = CLIENT_TOOLS[kind]
    arguments = json.loads(action_arguments(kind, item, "input[0]"))

    jsonschema.validate(arguments, tool.parameters)
    assert {**tool.fixed, **arguments} == item[tool.field]


@pytest.mark.parametrize(
    ("kind", "item", "arguments"),
    [
        ("local_shell", {"action": {"type": "exec", "command": ["ls"], "user": None}}, '{"command": ["ls"]}'),
        ("apply_patch", {"operation": {"type": "exec"}}, '{"type": "exec"}'),
        ("shell", {}, "{}"),
        ("shell", {"action": None}, "{}"),
        ("shell", {"action": "ls"}, '"ls"'),
    ],
)
def test_arguments_hold_what_the_model_would_write(kind: str, item: dict[str, Any], arguments: str) -> None:
    """Fields with one value alone, and empty ones, are no arguments. An odd action stays for the sanitizing steps."""
    assert action_arguments(kind, item, "input[0]") == arguments
