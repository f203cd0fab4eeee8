"""Read ``tool_choice``: which tool the model must call, or which ones it may."""

from __future__ import annotations

from typing import Any, NoReturn

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.native.responses.client_tools import CLIENT_TOOLS
from sanitizers.native.responses.flat_names import client_key
from sanitizers.native.responses.parts import refuse, text_at
from sanitizers.native.responses.tool_table import STEP, ToolTable, server_tool
from sanitizers.work_limit import metered

Choice = str | dict[str, Any]

_FIELD = "tool_choice"


def read_tool_choice(
    choice: Any, table: ToolTable
) -> tuple[Choice | None, tuple[Change, ...], frozenset[str] | None]:
    """Return *choice* in chat's form, the changes, and the flat names of the allowed tools.

    The names are None where all tools are allowed. ``required`` becomes ``auto`` where no tool is left. Raises
    :class:`~sanitizers.errors.Unrepairable` for a choice that forces a tool which is not declared, or which was left
    out because other models lack it.
    """
    if choice is None:
        return None, (), None
    if isinstance(choice, str):
        if choice not in ("auto", "none", "required"):
            refuse(_FIELD, "must be 'none', 'auto', 'required' or an object", "tool_choice")
        said, changes = _with_tools(choice, bool(table.chat_tools))
        return said, changes, None
    if not isinstance(choice, dict):
        refuse(_FIELD, "must be a string or an object", "tool_choice")
    if choice.get("type") == "allowed_tools":
        return _read_allowed(choice, table)
    flat = _flat_name(choice, table, _FIELD)
    if flat is None:
        _refuse_forced(choice)
    return {"type": "function", "function": {"name": flat}}, (), None


def _read_allowed(
    choice: dict[str, Any], table: ToolTable
) -> tuple[Choice, tuple[Change, ...], frozenset[str]]:
    mode = choice.get("mode", "auto")
    if mode not in ("auto", "required"):
        refuse(f"{_FIELD}.mode", "must be 'auto' or 'required'", "tool_choice")
    tools = choice.get("tools")
    if not isinstance(tools, list):
        refuse(f"{_FIELD}.tools", "must be an array", "tool_choice")
    allowed: set[str] = set()
    dropped: list[Change] = []
    for number, tool in enumerate(metered(tools)):
        place = f"{_FIELD}.tools[{number}]"
        if not isinstance(tool, dict):
            refuse(place, "must be an object", "tool_choice")
        flat = _flat_name(tool, table, place)
        if flat is not None:
            allowed.add(flat)
        else:
            dropped.append(Change(STEP, "dropped", number, "server_tool", place))
    said, changes = _with_tools(mode, bool(allowed))
    return said, (*dropped, *changes), frozenset(allowed)


def _with_tools(mode: str, any_left: bool) -> tuple[str, tuple[Change, ...]]:
    if mode != "required" or any_left:
        return mode, ()
    return "auto", (Change(STEP, "replaced", 0, "no_tool_left", _FIELD),)


def _flat_name(chosen: dict[str, Any], table: ToolTable, place: str) -> str | None:
    """Return the flat name of the *chosen* tool, or None for one that was left out.

    Raises :class:`~sanitizers.errors.Unrepairable` for a function that is not declared.
    """
    kind = text_at(chosen, "type", place)
    if kind in ("custom", "function"):
        name = text_at(chosen, "name", place)
        flat = table.flat_name(name, text_at(chosen, "namespace", place) or None)
        if not name or table.declared(flat) is None:
            raise Unrepairable(
                f"'{place}.name' names no tool of 'tools'.", rule="tool_choice", param=f"{place}.name"
            )
        return flat
    if kind in CLIENT_TOOLS:
        return table.flat.get(client_key(kind))
    if kind == "namespace":
        refuse(f"{place}.type", "cannot be 'namespace'", "tool_choice")
    if server_tool(kind) is None:
        refuse(f"{place}.type", "is no known type of tools", "tool_choice")
    return None


def _refuse_forced(choice: dict[str, Any]) -> NoReturn:
    refuse(
        _FIELD,
        f"forces the tool '{choice['type'][:40]}', which this model does not have: only tools that the client runs "
        "can be chosen",
        "tool_choice",
    )
