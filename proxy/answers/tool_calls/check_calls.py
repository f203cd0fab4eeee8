"""Checks every call of every choice in a whole answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson

from proxy.answers.find_empty import CUT_OFF
from proxy.answers.tool_calls.declared_tools import DeclaredTools
from proxy.answers.tool_calls.fit_schema import find_schema_faults
from proxy.answers.tool_calls.mend_arguments import mend_notation, unwrap_encoded
from proxy.answers.tool_calls.work_limit import WorkLimit
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer
from sanitizers import Change

REPAIR_STEP = "answer_repair"

_LARGEST = 64 * 1024
"""The longest arguments that are checked against a schema, in characters."""

_LONGEST_DETAIL = 500
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check.

    *answer* is the checked object itself where nothing was repaired. *cause* is None for an answer whose calls can be
    used. Otherwise *detail* tells the model, and nobody else, about the fault.
    """

    answer: Answer
    changes: tuple[Change, ...] = ()
    cause: Cause | None = None
    detail: str = ""


class _UnusableCall(Exception):
    """Raised for a call that cannot be used."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail[:_LONGEST_DETAIL]


def check_calls(
    answer: Answer, parameters: Mapping[str, Any], client_tool_names: Mapping[str, str] = MappingProxyType({})
) -> Checked:
    """Return the result of checking a normalized *answer*. *parameters* are those of the client's request.

    *client_tool_names* maps the name that the provider got for a renamed tool to the client's name. The check ends at
    the first call that cannot be used. The answer then stays unchanged, since the caller asks the model for a new
    answer.
    """
    if not any(choice["message"].get("tool_calls") for choice in answer["choices"]):
        return Checked(answer)
    tools = DeclaredTools(parameters, client_tool_names)
    limit = WorkLimit()
    choices: list[dict[str, Any]] = []
    changes: list[Change] = []
    try:
        for choice in answer["choices"]:
            choices.append(_check_choice(choice, tools, limit, changes))
    except _UnusableCall as unusable:
        return Checked(answer, cause=unusable.cause, detail=unusable.detail)
    if not changes:
        return Checked(answer)
    return Checked({**answer, "choices": choices}, tuple(changes))


def _check_choice(
    choice: dict[str, Any], tools: DeclaredTools, limit: WorkLimit, changes: list[Change]
) -> dict[str, Any]:
    message = choice["message"]
    calls = message.get("tool_calls")
    if not calls or choice["finish_reason"] in CUT_OFF:  # half a command must not be run
        return choice
    checked = [_check_call(call, tools, limit) for call in calls]
    if all(new is old for (new, _), old in zip(checked, calls, strict=True)):
        return choice
    for call, reasons in checked:
        changes += [
            Change(REPAIR_STEP, "replaced", choice["index"], reason, str(call.get("id"))[:_LONGEST_NAME])
            for reason in reasons
        ]
    return {**choice, "message": {**message, "tool_calls": [call for call, _ in checked]}}


def _check_call(
    call: dict[str, Any], tools: DeclaredTools, limit: WorkLimit
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return *call*, itself or repaired, with the reasons of the changes. Raises :class:`_UnusableCall`."""
    function = call.get("function")
    if not isinstance(function, dict) or call.get("type") != "function":
        return call, ()  # a custom tool's input is free text
    name, arguments = function.get("name"), function.get("arguments")
    name = name if isinstance(name, str) else ""
    declared = tools.find(name)
    if declared is None and not tools.allows_any():
        shown = name[:_LONGEST_NAME]
        raise _UnusableCall(Cause.UNDECLARED_CALL, f"the tool {shown!r} is not declared")
    schema = tools.schema_of(declared) if declared is not None else None
    known_as = tools.upstream_name(declared or name)[:_LONGEST_NAME]
    value, fault = _read(arguments)
    text: Any = arguments
    if value is None:
        text = _mend(arguments, limit) if declared is not None else None
        value, _ = _read(text)
        if value is None:
            raise _UnusableCall(Cause.INVALID_ARGUMENTS, f"{known_as}: {fault}")
    wrong = find_schema_faults(value, schema, limit) if len(text) <= _LARGEST else []
    if wrong:
        raise _UnusableCall(Cause.INVALID_ARGUMENTS, f"{known_as}: {'; '.join(wrong)}.")
    reasons = []
    if declared is not None and declared != name:
        reasons.append("tool_name")
        name = declared
    if text is not arguments:
        reasons.append("tool_arguments")
    if not reasons:
        return call, ()
    return {**call, "function": {**function, "name": name, "arguments": text}}, tuple(reasons)


def _read(arguments: Any) -> tuple[dict[str, Any] | None, str]:
    """Return the object that *arguments* hold as JSON, or None and the fault."""
    if not isinstance(arguments, str) or not arguments:
        return None, "there are no arguments."
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError as error:
        return None, f"the arguments are not valid JSON: {error}."
    return (value, "") if isinstance(value, dict) else (None, "the arguments are not a JSON object.")


def _written(value: Any) -> str | None:
    """Return the JSON of *value*.

    The result is None for values that strict parsers refuse: a lone surrogate, a number of 20 digits.
    """
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        return None


def _mend(arguments: Any, limit: WorkLimit) -> str | None:
    """Return the JSON of the object that the broken *arguments* mean, or None.

    Some servers send no text for a call without arguments. Missing arguments are read as ``{}``, and checked like other
    arguments.
    """
    if isinstance(arguments, dict):  # Ollama's own form
        return _written(arguments)
    if arguments is None:
        return "{}"
    if not isinstance(arguments, str):
        return None
    if arguments.strip() in ("", "null"):
        return "{}"
    return unwrap_encoded(arguments, limit) or _written(mend_notation(arguments, limit))
