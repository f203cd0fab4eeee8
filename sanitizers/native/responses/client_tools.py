"""Tools that OpenAI's models know by themselves and the client runs: shells, and the tool that patches files.

To other models they are declared as functions. The arguments of such a function are the action of the item.

Source: ``LocalShellCall``, ``ShellCall`` and ``ApplyPatchCall`` of openai-python 3.54 (2026-11).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, NamedTuple

from sanitizers.native.responses.parts import as_json

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_TEXTS = {"type": "array", "items": _TEXT}


class ClientTool(NamedTuple):
    """A tool that the client runs: its function for other models, and the *field* of the item that holds the action.

    *fixed* are fields of the action with their usual values, which the model need not write.
    """

    field: str
    description: str
    parameters: dict[str, Any]
    fixed: dict[str, Any]


CLIENT_TOOLS = MappingProxyType(
    {
        "local_shell": ClientTool(
            "action",
            "Runs one command in the user's shell and returns its output.",
            {
                "type": "object",
                "properties": {
                    "command": {**_TEXTS, "description": "The program and its arguments."},
                    "env": {"type": "object", "description": "Environment variables to set."},
                    "working_directory": {**_TEXT, "description": "The folder to run the command in."},
                    "timeout_ms": {**_NUMBER, "description": "The time limit in milliseconds."},
                },
                "required": ["command"],
            },
            {"type": "exec", "env": {}},
        ),
        "shell": ClientTool(
            "action",
            "Runs commands in the user's shell and returns the output of each.",
            {
                "type": "object",
                "properties": {
                    "commands": {**_TEXTS, "description": "The commands, each a line for the shell."},
                    "timeout_ms": {**_NUMBER, "description": "The time limit in milliseconds."},
                    "max_output_length": {
                        **_NUMBER,
                        "description": "The most characters of output to return.",
                    },
                },
                "required": ["commands"],
            },
            {},
        ),
        "apply_patch": ClientTool(
            "operation",
            "Creates, updates or deletes one file.",
            {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": ["create_file", "update_file", "delete_file"]},
                    "path": {**_TEXT, "description": "The path of the file."},
                    "diff": {
                        **_TEXT,
                        "description": "The changes in V4A diff format. Not needed to delete a file.",
                    },
                },
                "required": ["type", "path"],
            },
            {},
        ),
    }
)
"""The tools by their type in ``tools``. The type of a call's item is the same with ``_call``."""


def action_arguments(kind: str, item: dict[str, Any], place: str) -> str:
    """Return the action of *item*, a call of the tool *kind* at *place*, as the arguments of its function.

    Raises :class:`~sanitizers.errors.Unrepairable` for an action that is nested too deep.
    """
    tool = CLIENT_TOOLS[kind]
    action = item.get(tool.field)
    if isinstance(action, dict):
        fixed = tool.fixed
        action = {
            name: value
            for name, value in action.items()
            if value is not None and (name not in fixed or value != fixed[name])
        }
    return as_json({} if action is None else action, f"{place}.{tool.field}")
