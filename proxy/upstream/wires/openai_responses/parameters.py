"""Writes what a plan has changed of the chat parameters back into the fields of the Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.source import ResponsesRequest

FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "max_completion_tokens": ("max_output_tokens",),
        "max_tokens": ("max_output_tokens",),
        "parallel_tool_calls": ("parallel_tool_calls",),
        "prompt_cache_key": ("prompt_cache_key",),
        "reasoning_effort": ("reasoning", "effort"),
        "response_format": ("text", "format"),
        "safety_identifier": ("safety_identifier",),
        "service_tier": ("service_tier",),
        "temperature": ("temperature",),
        "tool_choice": ("tool_choice",),
        "top_logprobs": ("top_logprobs",),
        "top_p": ("top_p",),
        "user": ("user",),
        "verbosity": ("text", "verbosity"),
    }
)
"""The path of the field for each chat parameter.

The API has no ``stop``, ``n``, ``seed``, ``logit_bias`` and penalties, so that an operator's defaults for them have no
effect.
"""

LOGPROBS = "message.output_text.logprobs"
"""The entry of ``include`` that asks for log probabilities."""


def changed_fields(native: ResponsesRequest, planned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of *native* that the *planned* chat parameters change, each whole. None removes a field."""
    given = native.parameters
    if planned is given:
        return {}
    changed: dict[str, Any] = {}
    for name in {**given, **planned}:
        path = FIELDS.get(name)
        value = planned.get(name)
        if path is None or value == given.get(name):
            continue
        if path == ("max_output_tokens",) and value is None and _limit(planned) is not None:
            continue  # the limit has another name in the plan
        if name == "response_format":
            value = flat_format(value)
        if len(path) == 1:
            changed[path[0]] = value
        else:
            outer, inner = path
            held = {**(changed.get(outer) or native.fields.get(outer) or {}), inner: value}
            changed[outer] = {key: kept for key, kept in held.items() if kept is not None} or None
    if given.get("logprobs") and not planned.get("logprobs"):
        kept_entries = [entry for entry in native.fields.get("include") or () if entry != LOGPROBS]
        changed["include"] = kept_entries or None
    return changed


def _limit(parameters: Mapping[str, Any]) -> Any:
    limit = parameters.get("max_completion_tokens")
    return parameters.get("max_tokens") if limit is None else limit


def flat_format(nested: Any) -> Any:
    """Return chat's ``response_format`` as ``text.format``, which is flat."""
    inner = nested.get("json_schema") if isinstance(nested, dict) else None
    return {"type": "json_schema", **inner} if isinstance(inner, dict) else nested
