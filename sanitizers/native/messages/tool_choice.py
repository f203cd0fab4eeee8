"""Read ``tool_choice``: whether and which tool the model must call, and whether it may call several at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.native.messages.tools import STEP, MessagesTools, refuse

Choice = str | dict[str, Any]

_FIELD = "tool_choice"
_WORDS = {"auto": "auto", "any": "required", "none": "none"}


class ReadChoice(NamedTuple):
    """A *choice* in chat's form, or None for none.

    *parallel_tool_calls* is False where the client forbids parallel calls, or else None. *changes* say what was left
    out. A forced tool that only Claude has is a need of the tools themselves.
    """

    choice: Choice | None = None
    parallel_tool_calls: bool | None = None
    changes: tuple[Change, ...] = ()


def read_tool_choice(choice: Any, tools: MessagesTools) -> ReadChoice:
    """Return *choice* as it was read. A choice is left out where no tool is left, or where its tool was left out.

    Providers refuse a choice without tools (CliRelay#739). Raises :class:`~sanitizers.errors.Unrepairable` for what is
    no choice, and for the name of a tool that is not declared.
    """
    if choice is None:
        return ReadChoice()
    if not isinstance(choice, dict):
        refuse(_FIELD, "Input should be a valid dictionary", "tool_choice")
    kind = choice.get("type")
    if not isinstance(kind, str) or (kind not in _WORDS and kind != "tool"):
        refuse(f"{_FIELD}.type", "Input should be 'auto', 'any', 'tool' or 'none'", "tool_choice")
    is_alone = choice.get("disable_parallel_tool_use")
    if is_alone is not None and not isinstance(is_alone, bool):
        refuse(f"{_FIELD}.disable_parallel_tool_use", "Input should be a valid boolean", "tool_choice")
    said, is_left_out = _read_kind(kind, choice, tools)
    if is_left_out or not tools.chat_tools:
        reason = "no_tool_left" if tools.names else "no_tools"
        return ReadChoice(changes=(Change(STEP, "dropped", 0, reason, _FIELD),))
    return ReadChoice(said, False if is_alone and kind != "none" else None)


def _read_kind(kind: str, choice: dict[str, Any], tools: MessagesTools) -> tuple[Choice, bool]:
    """Return the choice in chat's form, and whether its tool was left out."""
    if kind != "tool":
        return _WORDS[kind], False
    name = choice.get("name")
    if not isinstance(name, str) or not name:
        refuse(f"{_FIELD}.tool.name", "Field required", "tool_choice")
    found = tools.find(name)
    if found is None:
        if tools.names:
            refuse(_FIELD, "the tool is not found in provided tools", "tool_choice")
        return "auto", True
    return {"type": "function", "function": {"name": name}}, found.is_left_out
