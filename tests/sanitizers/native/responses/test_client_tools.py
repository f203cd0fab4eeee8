"""Tests of the tools that the client runs."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from sanitizers.native.responses.client_tools import CLIENT_TOOLS, action_arguments, action_fields

ACTIONS: list[tuple[str, dict[str, Any]]] = [
    ("local_shell", {"action": {"type": "exec", "command": ["ls"], "env": {}}}),
    ("local_shell", {"action": {"type": "exec", "command": ["ls"], "env": {"A": "b"}, "timeout_ms": 5}}),
    ("shell", {"action": {"commands": ["ls", "pwd"], "max_output_length": 100}}),
    ("apply_patch", {"operation": {"type": "update_file", "path": "a", "diff": "@@"}}),
    ("apply_patch", {"operation": {"type": "delete_file", "path": "a"}}),
]


@pytest.mark.parametrize(("kind", "item"), ACTIONS)
def test_action_comes_back_from_its_arguments(kind: str, item: dict[str, Any]) -> None:
    """An action becomes arguments that the tool's schema allows, and these become the same action."""
    arguments = action_arguments(kind, item, "input[0]")

    jsonschema.validate(json.loads(arguments), CLIENT_TOOLS[kind].parameters)
    assert action_fields(kind, arguments) == item


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


@pytest.mark.parametrize("arguments", ["", "{", "[]", '"x"'])
def test_broken_arguments_give_the_fixed_fields(arguments: str) -> None:
    """Arguments that are no object give an item that the client can read."""
    assert action_fields("local_shell", arguments) == {"action": {"type": "exec", "env": {}}}
