"""Makes the response object, which repeats the fields of its request.

Open Responses' schema requires 32 keys, and typed clients fail without any of them (litellm#28899, ogx#4690). Some must
not be null. Tools and the tool choice are repeated in the request's own form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sanitizers.record import record

RESPONSE_KEYS = (
    "id",
    "object",
    "created_at",
    "status",
    "background",
    "completed_at",
    "error",
    "frequency_penalty",
    "incomplete_details",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "output",
    "parallel_tool_calls",
    "presence_penalty",
    "previous_response_id",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "usage",
    "user",
)
"""The keys that every response object has (Open Responses' ``ResponseResource``, 2026-11)."""

_NULLS = MappingProxyType(dict.fromkeys(RESPONSE_KEYS))
_DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "background": False,
        "frequency_penalty": 0.0,
        "metadata": {},
        "parallel_tool_calls": True,
        "presence_penalty": 0.0,
        "service_tier": "default",
        "store": True,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
    }
)
"""The values of fields that the client did not set, where null is not allowed."""

_REPEATED = frozenset(_DEFAULTS) | {
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "model",
    "previous_response_id",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "user",
}
_COMPUTED = frozenset({"background", "frequency_penalty", "presence_penalty"})
_FUNCTION_KEYS = MappingProxyType(dict.fromkeys(("name", "description", "parameters", "strict")))


@record
class ResponseHead:
    """The parts of a response object that are known before its answer."""

    id: str
    created_at: int
    """Unix time, in seconds."""

    echo: Mapping[str, Any]
    """The result of :func:`make_echo`."""


def make_echo(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the response object that repeats *fields*, the checked fields of the request.

    The caller may change the result, for example where ``store`` is turned off.
    """
    given = {name: fields[name] for name in _REPEATED - _COMPUTED if fields.get(name) is not None}
    echo = {**_DEFAULTS, **given}
    text = given.get("text")
    if text is not None and text.get("format") is None:
        echo["text"] = {**text, "format": {"type": "text"}}
    if echo["service_tier"] == "auto":
        echo["service_tier"] = "default"
    if "tools" in given:
        echo["tools"] = list(map(_repeat_tool, given["tools"]))
    conversation = fields.get("conversation")
    if conversation is not None:
        named = isinstance(conversation, str)
        echo["conversation"] = {"id": conversation if named else conversation["id"]}
    return echo


def _repeat_tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return *tool* with null for the keys of a function that the client left out, since typed clients want them."""
    return {**tool, **{k: tool.get(k) for k in _FUNCTION_KEYS}} if tool.get("type") == "function" else tool


def make_response(
    head: ResponseHead, status: str, output: Sequence[Mapping[str, Any]] = (), **fields: Any
) -> dict[str, Any]:
    """Return the response object with *status* and *output*. *fields* are further keys, such as ``usage``."""
    return {
        **_NULLS,
        **head.echo,
        "id": head.id,
        "object": "response",
        "created_at": head.created_at,
        "status": status,
        "output": list(output),
        **fields,
    }


def write_usage(usage: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the usage of an answer, *usage* in chat's form, in the form of the Responses API.

    None where the provider reported none. A count that is made up would make codex compact its history without end.
    """
    if usage is None:
        return None
    prompt, completion = (
        usage.get("prompt_tokens_details") or {},
        usage.get("completion_tokens_details") or {},
    )
    return {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {
            "cache_write_tokens": prompt.get("cache_write_tokens", 0),
            "cached_tokens": prompt.get("cached_tokens", 0),
        },
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": completion.get("reasoning_tokens", 0)},
        "total_tokens": usage["total_tokens"],
    }
