"""Read ``toolConfig``: whether and which functions the model must call."""

from __future__ import annotations

from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.native.gemini.spellings import as_list, both_spellings, enum_word, read_object, refuse
from sanitizers.native.gemini.tools import MOST_DECLARATIONS, STEP, GeminiTools
from sanitizers.work_limit import metered

Choice = str | dict[str, Any]

_CONFIG = "toolConfig"
_CALLING = f"{_CONFIG}.functionCallingConfig"
_ALLOWED = f"{_CALLING}.allowedFunctionNames"
_FIELDS = both_spellings("functionCallingConfig", "includeServerSideToolInvocations", "retrievalConfig")
_GEMINI_FIELDS = ("includeServerSideToolInvocations", "retrievalConfig")
_CALLING_FIELDS = both_spellings("allowedFunctionNames", "mode", "streamFunctionCallArguments")
_MODES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")
"""The words of the enum, in the order of their numbers (google-ai-generativelanguage 0.12)."""

_CHOICES = {"ANY": "required", "AUTO": "auto", "NONE": "none", "VALIDATED": "auto"}
_WITH_NAMES = ("ANY", "VALIDATED")
"""The modes that may name functions (ai.google.dev/api/caching#FunctionCallingConfig)."""


class ReadChoice(NamedTuple):
    """A *choice* in chat's form, or None for none, and the *chat_tools* that the model may call.

    *chat_tools* are the very list of the tools where nothing limits them. *changes* say what was left out.
    """

    choice: Choice | None
    chat_tools: list[dict[str, Any]]
    changes: tuple[Change, ...] = ()


def read_tool_choice(tool_config: Any, tools: GeminiTools) -> ReadChoice:
    """Return *tool_config*, the field of a request with *tools*, as it was read.

    One allowed name forces that function, and several leave out the other tools. A choice is left out where no function
    is declared, since providers refuse it (CliRelay#739). Raises :class:`~sanitizers.errors.Unrepairable` for what is
    no choice, and for the name of a function that is not declared.
    """
    if tool_config is None:
        return ReadChoice(None, tools.chat_tools)
    if not isinstance(tool_config, dict):
        refuse(_CONFIG, "must be an object", "tool_choice")
    config = read_object(tool_config, _FIELDS, _CONFIG)
    changes = [_left_out(f"{_CONFIG}.{name}") for name in _GEMINI_FIELDS if config.get(name)]
    given = config.get("functionCallingConfig")
    if given is None:
        return ReadChoice(None, tools.chat_tools, tuple(changes))
    if not isinstance(given, dict):
        refuse(_CALLING, "must be an object", "tool_choice")
    calling = read_object(given, _CALLING_FIELDS, _CALLING)
    if calling.get("streamFunctionCallArguments"):
        changes.append(_left_out(f"{_CALLING}.streamFunctionCallArguments"))
    mode = enum_word(calling.get("mode", _MODES[0]), _MODES)
    if mode is None:
        refuse(f"{_CALLING}.mode", "must be one of AUTO, ANY, NONE and VALIDATED", "tool_choice")
    allowed = _read_names(calling.get("allowedFunctionNames"))
    if not tools.chat_tools:
        reason = "no_tool_left" if tools.built_in else "no_tools"
        return ReadChoice(None, tools.chat_tools, (*changes, Change(STEP, "dropped", 0, reason, _CALLING)))
    if allowed and mode not in _WITH_NAMES:
        changes.append(_left_out(_ALLOWED))
        allowed = {}
    choice = _CHOICES.get(mode)
    kept = _allowed_tools(tools, allowed) if allowed else tools.chat_tools
    if len(kept) < len(tools.chat_tools):
        if len(allowed) == 1 and choice == "required":
            return ReadChoice(_named(*allowed), tools.chat_tools, tuple(changes))
        changes.append(Change(STEP, "dropped", 0, "not_allowed", _ALLOWED))
    return ReadChoice(choice, kept, tuple(changes))


def _named(name: str) -> Choice:
    return {"type": "function", "function": {"name": name}}


def _read_names(given: Any) -> dict[str, int]:
    """Return the allowed names with their places, each once."""
    names: dict[str, int] = {}
    listed = as_list(given)
    if len(listed) > MOST_DECLARATIONS:
        refuse(_ALLOWED, f"has too many names: at most {MOST_DECLARATIONS} are taken", "tool_choice")
    for at, name in enumerate(metered(listed)):
        if not isinstance(name, str):
            refuse(f"{_ALLOWED}[{at}]", "must be a string", "tool_choice")
        names.setdefault(name, at)
    return names


def _allowed_tools(tools: GeminiTools, allowed: dict[str, int]) -> list[dict[str, Any]]:
    declared = set(tools.names)
    for name, at in allowed.items():
        if name not in declared:
            refuse(f"{_ALLOWED}[{at}]", "names no function that the request declares", "tool_choice")
    kept = [tool for tool in metered(tools.chat_tools) if tool["function"]["name"] in allowed]
    return tools.chat_tools if len(kept) == len(tools.chat_tools) else kept


def _left_out(detail: str) -> Change:
    return Change(STEP, "dropped", 0, "gemini_field", detail)
