"""Fits tools and tool choice to the dialect, and drops a choice without tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects.closed_schemas import close_schema
from proxy.upstream.dialects.fitting import Fitting
from sanitizers import Messages
from sanitizers.messages import function_of, tool_calls_of
from sanitizers.work_limit import metered

_CHOICES = ("tool_choice", "function_call")
_WITHOUT_TOOLS = (*_CHOICES, "parallel_tool_calls")
_MARK = "cache_control"


def fit_tools(fitting: Fitting) -> None:
    """Fit tools and tool choice to the dialect.

    Providers refuse an empty list of tools ("Extra inputs are not permitted", php-mistral#76; OpenAI: "array too
    short"). They also refuse a choice without tools ("'parallel_tool_calls' is only allowed when 'tools' are
    specified.", Upsonic#323; Gemini: claude-code-router#1207). Raises :class:`InvalidRequest` for a choice of a
    function that the request does not declare.
    """
    for name in ("tools", "functions"):
        if fitting.value(name) == []:
            fitting.drop(name, "empty")
    declared = fitting.declared()
    for name in _CHOICES:
        _check_named(fitting.value(name), name, declared)
    if not declared:
        for name in _WITHOUT_TOOLS:
            if fitting.value(name) is not None:
                fitting.drop(name, "no_tools")
        if fitting.dialect.declares_calls and has_calls(fitting.messages):
            _declare_called(fitting)
        return
    if not fitting.dialect.functions:
        _write_as_tools(fitting)
    if not fitting.dialect.tool_marks:
        _remove_marks(fitting)
    if fitting.dialect.closed_schemas:
        _close_strict(fitting)
    _fit_choice(fitting)


def kind_of_choice(choice: Any) -> str:
    """Return the kind of a tool choice: the mode's name, or ``named``."""
    return choice if isinstance(choice, str) else "named"


def _check_named(choice: Any, name: str, declared: tuple[str, ...]) -> None:
    if not isinstance(choice, Mapping):
        return
    function = choice.get("function", choice)
    named = function.get("name") if isinstance(function, Mapping) else None
    if named not in declared:
        raise InvalidRequest(f"'{name}' must name one of the functions of this request.", param=name)


def _write_as_tools(fitting: Fitting) -> None:
    """Rewrite ``functions`` and ``function_call`` as tools. Most providers do not know these old names.

    If a tool and a function have the same name, the tool is kept.
    """
    functions, choice = fitting.value("functions"), fitting.value("function_call")
    if functions is not None:
        tools = fitting.value("tools") or []
        known = {tool.get("function", {}).get("name") for tool in tools}
        added = [function for function in functions if function.get("name") not in known]
        written = [*tools, *({"type": "function", "function": function} for function in added)]
        fitting.replace("functions", written, "legacy_form", to="tools")
    if choice is None:
        return
    if fitting.value("tool_choice") is not None:
        fitting.drop("function_call", "two_choices")
    elif isinstance(choice, str) and choice not in ("auto", "none"):
        raise InvalidRequest(
            "'function_call' must be none or auto, or name a function.", param="function_call"
        )
    else:
        named = {"type": "function", "function": choice} if isinstance(choice, Mapping) else choice
        fitting.replace("function_call", named, "legacy_form", to="tool_choice")


def _remove_marks(fitting: Fitting) -> None:
    """Remove the cache marks of tools, which only Claude reads."""
    tools = fitting.value("tools")
    if tools is not None and has_marks(tools):
        unmarked = [{name: tool[name] for name in tool if name != _MARK} for tool in tools]
        fitting.replace("tools", unmarked, "cache_mark")


def _close_strict(fitting: Fitting) -> None:
    """Rewrite the schemas of strict tools so that a grammar can enforce them."""
    tools = fitting.value("tools")
    if tools is None or not has_strict(tools):
        return
    closed = [_closed(tool) if _is_strict(tool) else tool for tool in tools]
    if any(new is not old for new, old in zip(closed, tools, strict=True)):
        fitting.replace("tools", closed, "closed_schema")


def _closed(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = tool["function"].get("parameters")
    if not isinstance(schema, Mapping) or (closed := close_schema(schema)) is schema:
        return tool
    return {**tool, "function": {**tool["function"], "parameters": closed}}


def _is_strict(tool: Mapping[str, Any]) -> bool:
    function = tool.get("function")
    return isinstance(function, Mapping) and function.get("strict") is True


def has_strict(tools: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether any of *tools* is to be kept to exactly."""
    return any(map(_is_strict, tools))


def has_marks(tools: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether any of *tools* has a cache mark."""
    return any(_MARK in tool for tool in tools)


def _fit_choice(fitting: Fitting) -> None:
    """Express the tool choice as nearly as the dialect can.

    Where tool calls cannot be forbidden, the tools are dropped, unless the history has calls that need them. Where a
    call cannot be forced, the model decides, and a change records that.
    """
    choice = fitting.value("tool_choice")
    if choice is None:
        return
    kind, choices = kind_of_choice(choice), fitting.dialect.choices
    if kind in choices:
        return
    if kind == "auto":
        fitting.withhold("tool_choice")  # the same as no choice
    elif kind == "named" and "required" in choices and len(fitting.declared()) == 1:
        fitting.replace("tool_choice", "required", "not_available")
    else:
        fitting.drop("tool_choice", "not_available")
        if kind == "none" and fitting.value("tools") is not None and not has_calls(fitting.messages):
            fitting.drop("tools", "tool_choice_none")
            if fitting.value("parallel_tool_calls") is not None:
                fitting.drop("parallel_tool_calls", "no_tools")


def has_calls(messages: Messages) -> bool:
    """Tell whether *messages* have a call or a result."""
    return any(message.get("tool_calls") or message["role"] == "tool" for message in metered(messages))


def _declare_called(fitting: Fitting) -> None:
    """Declare each function that the history calls, with a schema that allows everything, and forbid further calls.

    The client declares no tools, so that it could not run a call.
    """
    names = {
        name: None
        for message in metered(fitting.messages)
        for call in tool_calls_of(message)
        if (name := function_of(call).get("name"))
    }
    if not names:
        return
    functions = [{"name": name, "parameters": {"type": "object", "properties": {}}} for name in names]
    for name, value in (
        ("tools", [{"type": "function", "function": function} for function in functions]),
        ("tool_choice", "none"),
    ):
        fitting.set_value(name, value)
        fitting.record_change("inserted", "undeclared_calls", name)
