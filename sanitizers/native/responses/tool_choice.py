"""Read ``tool_choice``: which tool the model must call, or which ones it may."""

from __future__ import annotations

from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.native.protocol import Need
from sanitizers.native.responses.client_tools import CLIENT_TOOLS
from sanitizers.native.responses.flat_names import client_key
from sanitizers.native.responses.parts import refuse, text_at
from sanitizers.native.responses.tool_table import STEP, ToolTable, server_tool
from sanitizers.work_limit import metered

Choice = str | dict[str, Any]

_FIELD = "tool_choice"


class ReadChoice(NamedTuple):
    """A *choice* in chat's form, the *changes*, and the flat names of the *allowed* tools, or None for all tools.

    *need* is the forced tool that only the provider runs. There is no choice in chat's form then.
    """

    choice: Choice | None
    changes: tuple[Change, ...] = ()
    allowed: frozenset[str] | None = None
    need: Need | None = None


def read_tool_choice(choice: Any, table: ToolTable) -> ReadChoice:
    """Return *choice* as it was read. ``required`` becomes ``auto`` where no tool is left.

    Raises :class:`~sanitizers.errors.Unrepairable` for a choice that forces a tool which is not declared.
    """
    if choice is None:
        return ReadChoice(None)
    if isinstance(choice, str):
        if choice not in ("auto", "none", "required"):
            refuse(_FIELD, "must be 'none', 'auto', 'required' or an object", "tool_choice")
        said, changes = _with_tools(choice, bool(table.chat_tools))
        return ReadChoice(said, changes)
    if not isinstance(choice, dict):
        refuse(_FIELD, "must be a string or an object", "tool_choice")
    if choice.get("type") == "allowed_tools":
        return _read_allowed(choice, table)
    flat = _flat_name(choice, table, _FIELD)
    if flat is None:
        return ReadChoice(None, need=_need_forced(choice))
    return ReadChoice({"type": "function", "function": {"name": flat}})


def _read_allowed(choice: dict[str, Any], table: ToolTable) -> ReadChoice:
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
    return ReadChoice(said, (*dropped, *changes), frozenset(allowed))


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


def _need_forced(choice: dict[str, Any]) -> Need:
    return Need(
        f"'{_FIELD}' forces the tool '{choice['type'][:40]}', which this model does not have: only tools that the "
        "client runs can be chosen.",
        "tool_choice",
        _FIELD,
    )
