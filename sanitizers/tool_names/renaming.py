"""Rename the tools of a whole request: declared, chosen and called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from types import MappingProxyType
from typing import Any

from sanitizers.changes import Change
from sanitizers.messages import Messages
from sanitizers.name_rules import NameRule
from sanitizers.outline import Outline
from sanitizers.record import record
from sanitizers.tool_names.choosing import choose_names
from sanitizers.tool_names.history import STEP, names_in_history, rename_message

_LONGEST_DESCRIPTION = 1024
"""OpenAI's limit for a description, in characters."""

_HOLDERS = frozenset({"function_call", "functions", "tool_choice", "tools"})

_NOTHING: Mapping[str, str] = MappingProxyType({})


@record
class RenamedTools:
    """A request whose tools have legal names. *back* maps each new name to the client's name.

    *messages* and *parameters* are the given objects where nothing in them was changed.
    """

    messages: Messages
    parameters: Mapping[str, Any]
    back: Mapping[str, str]
    changes: tuple[Change, ...] = ()


def rename_tools(
    messages: Messages,
    parameters: Mapping[str, Any],
    rule: NameRule,
    outline: Outline | None = None,
    tools: Iterable[str] | None = None,
) -> RenamedTools:
    """Return the request with every tool renamed that *rule* forbids, in all places to the same name.

    *messages* must already be validated. The caller may pass their *outline*, and the names in ``tools`` as *tools*.
    Texts are not changed, even where they mention a tool.
    """
    called = names_in_history(messages) if outline is None else _names_in(outline)
    used = called | _names_in_parameters(parameters, tools)
    names = choose_names(used, rule) if used else {}
    if not names:
        return RenamedTools(messages, parameters, _NOTHING)
    renamed, changes = _rename_parameters(parameters, names)
    history = []
    touched = False
    for at, message in enumerate(messages):
        new, made = rename_message(message, at, names)
        touched = touched or new is not message
        changes += made
        history.append(new)
    back = {new: old for old, new in names.items()}
    return RenamedTools(history if touched else messages, renamed, back, tuple(changes))


def _names_in(outline: Outline) -> Set[str]:
    if not outline.odd:
        return outline.names
    return outline.names | names_in_history([outline.messages[index] for index in outline.odd])


def _names_in_parameters(parameters: Mapping[str, Any], tools: Iterable[str] | None = None) -> set[str]:
    """Return the names in ``tools``, ``functions``, ``tool_choice`` and ``function_call``.

    *tools* are the names in ``tools``, where the caller knows them.
    """
    if _HOLDERS.isdisjoint(parameters):
        return set()
    names: set[str | None] = set() if tools is None else {*tools}
    for field in ("tools", "functions") if tools is None else ("functions",):
        listed = parameters.get(field)
        if listed.__class__ is list:
            names.update(map(_name_in, listed))
    for field in ("tool_choice", "function_call"):
        if (chosen := parameters.get(field)) is not None:
            names.add(_name_in(chosen))
    return {name for name in names if name}


def _rename_parameters(
    parameters: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[Mapping[str, Any], list[Change]]:
    """Return *parameters* with their tools renamed by *names*, and a change for each.

    Returns the same object if no tool is renamed. A tool without a description gets its old name as its description,
    where that name is not ASCII. The index of a declaration's change is its place in ``tools`` or ``functions``. The
    index of a choice's change is 0.
    """
    made: dict[str, Any] = {}
    changes: list[Change] = []
    for field in ("tools", "functions"):
        listed = parameters.get(field)
        if isinstance(listed, list):
            renamed = [_renamed(holder, names, describe=True) for holder in listed]
            for at, (new, old) in enumerate(zip(renamed, listed, strict=True)):
                if new is not old:
                    made[field] = renamed
                    changes.append(Change(STEP, "replaced", at, "tool_name", _name_in(new) or ""))
    for field in ("tool_choice", "function_call"):
        chosen = parameters.get(field)
        new = _renamed(chosen, names)
        if new is not chosen:
            made[field] = new
            changes.append(Change(STEP, "replaced", 0, field, _name_in(new) or ""))
    return (MappingProxyType({**parameters, **made}) if made else parameters), changes


def _name_in(holder: Any) -> str | None:
    """Return the name in a declaration or a choice: inside its ``function``, or at the top level in the legacy form."""
    if not isinstance(holder, dict):
        return None
    inner = holder.get("function")
    name = (inner if isinstance(inner, dict) else holder).get("name")
    return name if isinstance(name, str) else None


def _renamed(holder: Any, names: Mapping[str, str], *, describe: bool = False) -> Any:
    name = _name_in(holder) or ""
    if name not in names:
        return holder
    inner = holder.get("function")
    function = inner if isinstance(inner, dict) else holder
    said = {**function, "name": names[name]}
    if describe and not name.isascii() and not function.get("description"):
        said["description"] = name[:_LONGEST_DESCRIPTION]
    return {**holder, "function": said} if function is inner else said
