"""Repairs that drop or rename the parameters that a provider refuses."""

from __future__ import annotations

import re
from types import MappingProxyType

from proxy.planning.repairs.draft import Draft, note, with_parameters
from proxy.resilience.read_error import ProviderError

_NEVER = frozenset({"functions", "messages", "model", "stream", "tools"})
"""Parameters that are never dropped. Without them it would be another request."""

_NAMED = (
    re.compile(r"unsupported (?:parameter|value): '(?P<name>\w+)"),  # qwen-code#921, vscode#253673
    re.compile(r"unknown parameter: '(?P<name>\w+)"),
    re.compile(r"unrecognized request arguments? supplied: (?P<name>\w+(?:, ?\w+)*)"),  # budibase#17211
    re.compile(r"'type': 'extra_forbidden', 'loc': \('body', '(?P<name>\w+)'\)"),  # vLLM: MaxKB#2912
)
_LIMITS = MappingProxyType({"max_completion_tokens": "max_tokens", "max_tokens": "max_completion_tokens"})
"""Two names of one limit. A server knows the old name, the new one, or both (gollm#33, MaxKB#2912)."""


def drop_refused_parameters(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without the parameters that *error* names. The limit of the answer is renamed instead."""
    refused = [
        name
        for says in _NAMED
        for found in says.finditer(error.words)
        for name in re.split(", ?", found["name"])
    ]
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
