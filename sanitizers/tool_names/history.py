"""Read and change the names of tools in a history, on calls of either form and on results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.changes import Change
from sanitizers.messages import RESULT_ROLES, Message, Messages, tool_calls_of
from sanitizers.work_limit import metered

STEP = "tools"

_FORMS = ("function", "custom")


def names_in_history(messages: Messages) -> set[str]:
    """Return the names of tools in validated *messages*. Empty names are left out, since ``shape`` handles them."""
    names: set[str | None] = set()
    for message in metered(messages):
        role = message["role"]
        if role == "assistant":
            for call in tool_calls_of(message):
                for form in _FORMS:
                    if held := call.get(form):
                        names.add(held.get("name"))
            if legacy := message.get("function_call"):
                names.add(legacy.get("name"))
        elif role in RESULT_ROLES:
            names.add(message.get("name"))
    return {name for name in names if name}


def rename_message(message: Message, at: int, names: Mapping[str, str]) -> tuple[Message, list[Change]]:
    """Return *message*, whose index is *at*, with its tools renamed by *names*, and a change for each.

    Returns *message* itself where it holds none of *names*.
    """
    made: dict[str, None] = {}
    role = message["role"]
    new = message
    if role in RESULT_ROLES:
        new = _renamed(message, names, made)
    elif role == "assistant":
        if calls := tool_calls_of(message):
            renamed = [_rename_call(call, names, made) for call in calls]
            new = {**new, "tool_calls": renamed} if made else new
        if legacy := message.get("function_call"):
            function_call = _renamed(legacy, names, made)
            new = {**new, "function_call": function_call} if function_call is not legacy else new
    return new, [Change(STEP, "replaced", at, "call_name", name) for name in made]


def _rename_call(call: dict[str, Any], names: Mapping[str, str], made: dict[str, None]) -> dict[str, Any]:
    for form in _FORMS:
        held = call.get(form)
        if held and (renamed := _renamed(held, names, made)) is not held:
            call = {**call, form: renamed}
    return call


def _renamed(holder: dict[str, Any], names: Mapping[str, str], made: dict[str, None]) -> dict[str, Any]:
    new = names.get(holder.get("name") or "")
    if new is None:
        return holder
    made[new] = None
    return {**holder, "name": new}
