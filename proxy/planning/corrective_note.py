"""The note that a retry carries after an answer that could not be used.

A plain retry of a malformed call often fails again, since the context is the same (PasClaw#406, epam#490). A model
that is told its mistake corrects it (vellum#43134).

The note is a user message at the end of the history, so a cached prefix stays valid. The list of changes names the
note. The client never sees the note's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.failures import Cause
from sanitizers import Change

STEP = "note"

_MAX_NAMES = 64


def note_for(cause: Cause, parameters: Mapping[str, Any], detail: str = "") -> str:
    """Return the note's text for *cause*.

    *parameters* are those of the request. *detail* says what was wrong with a call.
    """
    if parameters.get("tool_choice") == "none":
        return "[Your last answer called a tool, and none can be called any more. Answer in text.]"
    if cause in (Cause.UNEXPECTED_CALL, Cause.UNDECLARED_CALL):
        names = [name for tool in parameters.get("tools") or () if (name := _name_of(tool))]
        declared = f" Declared are: {', '.join(names[:_MAX_NAMES])}." if names else ""
        return f"[Your last answer called a tool that is not declared.{declared} Use only these, or answer in text.]"
    if cause is Cause.INVALID_ARGUMENTS:
        return (
            f"[Your last tool call could not be used: {detail} Make the call again, with arguments that are one JSON "
            "object and follow the tool's schema.]"
        )
    return (
        "[Your last tool call could not be read. Make the call again, as one well-formed call whose arguments are one "
        "JSON object that follows the tool's schema, or answer in text.]"
    )


def with_note(request: ChatRequest, note: str) -> tuple[ChatRequest, Change]:
    """Return *request* with *note* as its last message, and the change."""
    messages = [*request.messages, {"role": "user", "content": note}]
    change = Change(STEP, "inserted", max(0, len(request.messages) - 1), "corrective_note")
    return replace(request, messages=messages), change


def _name_of(tool: Any) -> str | None:
    function = tool.get("function") if isinstance(tool, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else None
