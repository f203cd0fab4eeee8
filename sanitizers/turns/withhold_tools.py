"""Withhold tools from a request whose turn is at a limit, or tell the model the limit in a tool's description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sanitizers.changes import Change
from sanitizers.turns.gate_calls import STEP
from sanitizers.turns.notices import delegation_guidance
from sanitizers.turns.policy import TurnPolicy


def withhold_tools(
    parameters: Mapping[str, Any], policy: TurnPolicy, changes: list[Change], *, may_finish: bool
) -> Mapping[str, Any]:
    """Return *parameters* for the final answer, and add a change for the withheld tools to *changes*.

    With *may_finish*, the final tools stay and all other tools are removed. Otherwise all tools stay declared, and none
    may be called.
    """
    if may_finish:
        return _with_tools(parameters, policy.finishes, "tools_withheld", changes)
    return _without_calls(parameters, changes)


def withhold_delegation(
    parameters: Mapping[str, Any], policy: TurnPolicy, changes: list[Change]
) -> Mapping[str, Any]:
    """Return *parameters* without the tools that delegate, and add a change to *changes*."""
    return _with_tools(parameters, lambda name: not policy.delegates(name), "delegation_withheld", changes)


def _without_calls(parameters: Mapping[str, Any], changes: list[Change]) -> Mapping[str, Any]:
    """Forbid calls by the tool choice, and keep the declarations, which are part of the cached prefix.

    Anthropic and Bedrock refuse a history with calls where the request declares no tools. Where a provider cannot
    forbid calls, the gate (``gate_calls``) still holds back the answer's calls.
    """
    forbidden = {
        choice: "none"
        for declarations, choice in (("tools", "tool_choice"), ("functions", "function_call"))
        if parameters.get(declarations)
    }
    if not forbidden:
        return parameters
    changes.append(Change(STEP, "replaced", 0, "tools_withheld", ",".join(forbidden)))
    return {**parameters, **forbidden}


def _with_tools(
    parameters: Mapping[str, Any], stays: Callable[[str], bool], reason: str, changes: list[Change]
) -> Mapping[str, Any]:
    """Remove each tool for whose name *stays* returns False, and a tool choice that names a removed tool."""
    fitted = dict(parameters)
    for name, choice_name in (("tools", "tool_choice"), ("functions", "function_call")):
        entries, choice = fitted.get(name) or (), fitted.get(choice_name)
        kept = [entry for entry in entries if stays(_name_of(entry))]
        if kept:
            fitted[name] = kept
        else:
            fitted.pop(name, None)
        if (entries and not kept) or (isinstance(choice, Mapping) and not stays(_name_of(choice))):
            fitted.pop(choice_name, None)
    changes.append(Change(STEP, "dropped", 0, reason))
    return fitted


def add_guidance(
    parameters: Mapping[str, Any], first: str, limit: int, changes: list[Change]
) -> Mapping[str, Any]:
    """Return *parameters* with the limit of delegation in the description of the tool *first*.

    The words depend on *limit* alone.
    """
    guidance = delegation_guidance(limit)
    for name in ("tools", "functions"):
        entries = parameters.get(name) or ()
        for at, entry in enumerate(entries):
            if _name_of(entry) != first:
                continue
            function = entry.get("function", entry)
            described = function.get("description") or ""
            if not isinstance(described, str):
                return parameters  # the provider's to refuse
            if guidance in described:
                return parameters
            told = {**function, "description": f"{described}\n\n{guidance}" if described else guidance}
            new = {**entry, "function": told} if "function" in entry else told
            changes.append(Change(STEP, "replaced", at, "delegation_guidance", "description"))
            return {**parameters, name: [*entries[:at], new, *entries[at + 1 :]]}
    return parameters


def _name_of(entry: Mapping[str, Any]) -> str:
    function = entry.get("function", entry)
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else ""
