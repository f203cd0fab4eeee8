"""Reads the count of tokens of a response as that of a chat."""

from __future__ import annotations

from typing import Any

_PROMPT = ("cached_tokens", "cache_write_tokens")


def read_usage(usage: Any) -> dict[str, Any] | None:
    """Return *usage* in chat's form, or None where the response has none."""
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("input_tokens"), usage.get("output_tokens")
    if type(prompt) is not int or type(completion) is not int:
        return None
    read: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    given = usage.get("input_tokens_details")
    prompt_details = {name: count for name in _PROMPT if (count := _count(given, name)) is not None}
    if prompt_details:
        read["prompt_tokens_details"] = prompt_details
    if (thought := _count(usage.get("output_tokens_details"), "reasoning_tokens")) is not None:
        read["completion_tokens_details"] = {"reasoning_tokens": thought}
    return read


def _count(details: Any, name: str) -> int | None:
    count = details.get(name) if isinstance(details, dict) else None
    return count if type(count) is int else None
