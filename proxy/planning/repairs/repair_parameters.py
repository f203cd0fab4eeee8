"""Repairs of parameters: refused ones are dropped or renamed, and schemas are simplified.

A schema keeps its removed rules as descriptions. The error's words decide whether only keywords are removed, or nested
levels or values as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.planning.repairs.draft import Draft, note, with_parameters
from proxy.resilience.read_error import ProviderError
from sanitizers import Change, Unrepairable
from sanitizers.schemas import PLAIN, PLAIN_FEW_STATES, PLAIN_FLAT, Dialect, clean_schema

_NEVER = frozenset({"functions", "messages", "model", "stream", "tools"})
"""Parameters that are never dropped. Without one of these, the request would mean something else."""

_NAMED = (
    re.compile(r"unsupported (?:parameter|value): '(?P<name>[\w.]+)"),  # qwen-code#921, vscode#253673
    re.compile(r"unknown parameter: '(?P<name>\w+)"),
    re.compile(r"unrecognized request arguments? supplied: (?P<name>\w+(?:, ?\w+)*)"),  # budibase#17211
    re.compile(r"'type': 'extra_forbidden', 'loc': \('body', '(?P<name>\w+)'\)"),  # vLLM: MaxKB#2912
)
_FIELDS = MappingProxyType(
    {
        "reasoning.effort": "reasoning_effort",
        "text.format": "response_format",
        "text.verbosity": "verbosity",
    }
)
"""Chat's names of parameters that stand in another field of the Responses API."""

_LIMITS = MappingProxyType({"max_completion_tokens": "max_tokens", "max_tokens": "max_completion_tokens"})
"""Two names of one limit. A server knows the old name, the new one, or both (gollm#33, MaxKB#2912)."""


def drop_refused_parameters(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without the parameters that *error* names.

    The output limit is renamed to its other name instead, where that name is free.
    """
    refused = [
        name
        for says in _NAMED
        for found in says.finditer(error.words)
        for name in re.split(", ?", found["name"])
    ]
    refused = [_FIELDS.get(name) or name.partition(".")[0] for name in refused]
    parameters = dict(draft.parameters)
    changes = []
    for name in dict.fromkeys(refused):
        if name in _NEVER or name not in parameters:
            continue
        other = _LIMITS.get(name)
        if other is None or other in parameters or other in refused:
            del parameters[name]
            changes.append(note("dropped", 0, "refused_parameter", name))
        else:
            parameters[other] = parameters.pop(name)
            changes.append(note("replaced", 0, "refused_parameter", name))
    return with_parameters(draft, parameters, changes)


def drop_response_format(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without ``response_format`` where it has tools, which the client needs more.

    Source: "Function calling with a response mime type: 'application/json' is unsupported" (python-genai#867,
    symfony/ai#1777).
    """
    has_tools = draft.parameters.get("tools") or draft.parameters.get("functions")
    return _without(draft, "response_format") if has_tools else draft


def drop_tool_settings(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without settings for tools where it has no tools.

    Sources: OpenAI (Upsonic#323, camel#3706), Gemini (claude-code-router#1207).
    """
    if draft.parameters.get("tools") or draft.parameters.get("functions"):
        return draft
    return _without(draft, "function_call", "functions", "parallel_tool_calls", "tool_choice", "tools")


def _without(draft: Draft, *names: str) -> Draft:
    present = [name for name in names if name in draft.parameters]
    kept = {name: value for name, value in draft.parameters.items() if name not in present}
    return with_parameters(draft, kept, [note("dropped", 0, "refused_parameter", name) for name in present])


def simplify_tools(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with tool parameters reduced to types, properties and plain values.

    The model's arguments may then break the client's own schema, but only a rule that a description states. Sources:
    CLIProxyAPI#97, google_workspace_mcp#1099, cline#7339, 9router#380, Graphenium#37, gemini-cli#5923 (depth),
    python-genai#660 (states), sigoden/aichat#1049 (OpenAI).
    """
    parameters = dict(draft.parameters)
    changes: list[Change] = []
    tools = _each(draft.parameters.get("tools"), "function", "tools", changes, error)
    functions = _each(draft.parameters.get("functions"), None, "functions", changes, error)
    if tools is not None:
        parameters["tools"] = tools
    if functions is not None:
        parameters["functions"] = functions
    return with_parameters(draft, parameters, changes)


def simplify_response_format(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a simplified schema of its answer. Sources: python-genai#660, js-genai#882."""
    given = draft.parameters.get("response_format")
    wrapper = given.get("json_schema") if isinstance(given, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(wrapper, Mapping):
        return draft
    simpler = _simplified(wrapper, "schema", error)
    if simpler is wrapper:
        return draft
    change = note("replaced", 0, "schema", "response_format")
    parameters = {**draft.parameters, "response_format": {**given, "json_schema": simpler}}
    return with_parameters(draft, parameters, [change])


def _each(
    given: Any, key: str | None, place: str, changes: list[Change], error: ProviderError
) -> list[Any] | None:
    """Return the tools in *given* with simplified parameters, None where there are no tools."""
    if not isinstance(given, list):
        return None
    simpler = []
    for at, tool in enumerate(given):
        function = tool.get(key) if key else tool
        made = _simplified(function, "parameters", error) if isinstance(function, Mapping) else function
        if made is not function:
            changes.append(note("replaced", 0, "schema", f"{place}[{at}]"))
            tool = {**tool, key: made} if key else made
        simpler.append(tool)
    return simpler


def _simplified(holder: Mapping[str, Any], name: str, error: ProviderError) -> Mapping[str, Any]:
    """Return *holder* with the schema under *name* simplified and without ``strict``.

    Returns *holder* itself where the schema cannot be simplified.
    """
    schema = holder.get(name)
    if not isinstance(schema, Mapping) or not schema:
        return holder
    try:
        simpler = clean_schema(dict(schema), _stage(error)).schema
    except Unrepairable:
        return holder
    if simpler == schema:
        return holder
    return {**{key: value for key, value in holder.items() if key != "strict"}, name: simpler}


def _stage(error: ProviderError) -> Dialect:
    """Return the schema dialect that the words of *error* require."""
    if error.says("too many states"):
        return PLAIN_FEW_STATES
    return PLAIN_FLAT if error.says("nesting depth") else PLAIN
