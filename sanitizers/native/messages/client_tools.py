"""Tools that Claude knows by name and the client runs: the shell, the text editor and the memory.

To other models they are declared as functions with the documented input. A client runs such a call by its name.

Source: Anthropic's tool references, and ``BetaMemoryTool20250818Command`` of anthropic 2.12 (2026-11). The documents of
``text_editor_20250728`` name the text of ``insert`` in two ways, so that both are declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_TEXT = {"type": "string"}
_LINES = {
    "type": "array",
    "items": {"type": "integer"},
    "description": "For view: the first and the last line. The last one may be -1.",
}


class ClientTool(NamedTuple):
    """A tool that the client runs. *name* is its usual name. *description* and *parameters* are those of a function."""

    name: str
    description: str
    parameters: dict[str, Any]


def _commands(names: tuple[str, ...], fields: Mapping[str, Any]) -> dict[str, Any]:
    command = {**_TEXT, "enum": [*names], "description": "The command to run."}
    return {
        "type": "object",
        "properties": {"command": command, **fields},
        "required": ["command", "path"] if "path" in fields and "rename" not in names else ["command"],
    }


def _said(what: str) -> dict[str, Any]:
    return {**_TEXT, "description": what}


_BASH = ClientTool(
    "bash",
    "Runs a command in a bash session of the user, which keeps its state between calls, and returns the output.",
    {
        "type": "object",
        "properties": {
            "command": _said("The command to run. Leave it out to restart."),
            "restart": {"type": "boolean", "description": "True restarts the session."},
        },
    },
)
_PATH = _said("The path of the file or folder.")
_EDITED = {
    "path": _PATH,
    "file_text": _said("For create: the text of the new file."),
    "old_str": _said("For str_replace: the text to replace. It must occur exactly once."),
    "insert_line": {
        "type": "integer",
        "description": "For insert: the line after which the text goes. 0 is the beginning of the file.",
    },
    "view_range": _LINES,
}
_EDITOR_SAYS = "Shows, creates and edits the user's text files."
_EDITOR = ClientTool(
    "str_replace_based_edit_tool",
    _EDITOR_SAYS,
    _commands(
        ("view", "create", "str_replace", "insert"),
        {
            **_EDITED,
            "new_str": _said("For str_replace: the new text. For insert: the same text as insert_text."),
            "insert_text": _said("For insert: the text to insert."),
        },
    ),
)
_OLD_EDITOR = ClientTool(
    "str_replace_editor",
    _EDITOR_SAYS,
    _commands(
        ("view", "create", "str_replace", "insert", "undo_edit"),
        {**_EDITED, "new_str": _said("For str_replace and insert: the new text.")},
    ),
)
_MEMORY = ClientTool(
    "memory",
    "Reads and writes the files under /memories, which outlive this conversation.",
    _commands(
        ("view", "create", "str_replace", "insert", "delete", "rename"),
        {
            **_EDITED,
            "path": _said("The path of the file or folder, for all commands but rename."),
            "new_str": _said("For str_replace: the new text."),
            "insert_text": _said("For insert: the text to insert."),
            "old_path": _said("For rename: the path so far."),
            "new_path": _said("For rename: the new path."),
        },
    ),
)

CLIENT_TOOLS: Mapping[str, ClientTool] = MappingProxyType(
    {
        "bash_": _BASH,
        "memory_": _MEMORY,
        "text_editor_2024": _OLD_EDITOR,
        "text_editor_20250124": _OLD_EDITOR,
        "text_editor_": _EDITOR,
    }
)
"""The tools by the beginning of their types, which end with a date. A longer beginning stands before a shorter one."""


def find_client_tool(kind: str) -> ClientTool | None:
    """Return the tool of the type *kind*, or None where the client does not run it."""
    return next((tool for start, tool in CLIENT_TOOLS.items() if kind.startswith(start)), None)
