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
from sanitizers.tool_names.declarations import names_in_parameters, rename_parameters
from sanitizers.tool_names.history import names_in_history, rename_message

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

    *messages* are validated. *outline* is their outline, and *tools* are the names in ``tools``, where the caller knows
    them. Texts are not changed, even where they mention a tool.
    """
    called = names_in_history(messages) if outline is None else _names_in(outline)
    used = called | names_in_parameters(parameters, tools)
    names = choose_names(used, rule) if used else {}
    if not names:
        return RenamedTools(messages, parameters, _NOTHING)
    renamed, changes = rename_parameters(parameters, names)
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
