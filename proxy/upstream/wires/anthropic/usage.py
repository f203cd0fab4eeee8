"""Reads Anthropic's token counts as those of a chat.

Anthropic counts uncached input alone as ``input_tokens``. A chat's ``prompt_tokens`` are all tokens of the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WRITTEN, _READ = "cache_creation_input_tokens", "cache_read_input_tokens"


def read_usage(usage: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return *usage* under the names of chat completions, or None where it has no counts.

    Clients of litellm's route know the two counts of the cache under Anthropic's names too.
    """
    uncached, output = _count(usage, "input_tokens"), _count(usage, "output_tokens")
    if uncached is None and output is None:
        return None
    written, read = _count(usage, _WRITTEN) or 0, _count(usage, _READ) or 0
    prompt = (uncached or 0) + written + read
    counts: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": output or 0,
        "total_tokens": prompt + (output or 0),
    }
    if read or written:
        details = counts["prompt_tokens_details"] = {"cached_tokens": read, "cache_write_tokens": written}
        by_time = usage.get("cache_creation")
        hour = _count(by_time, "ephemeral_1h_input_tokens") if isinstance(by_time, dict) else None
        if hour:
            details["cache_write_1h_tokens"] = hour
        counts[_WRITTEN], counts[_READ] = written, read
    answered = usage.get("output_tokens_details")
    thought = _count(answered, "thinking_tokens") if isinstance(answered, dict) else None
    if thought is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": thought}
    return counts


def merge_usage(before: Mapping[str, Any], more: Any) -> Mapping[str, Any]:
    """Return the counts of *before* with those of *more*, a later event, in their place. Nulls replace nothing.

    The last event counts the whole answer. Claude Code reads its input and cache counts in the place of the first ones.
    """
    if not isinstance(more, dict):
        return before
    return {**before, **{name: value for name, value in more.items() if value is not None}}


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if type(value) is int and 0 <= value < 2**53 else None
