"""Writes the token counts of an answer: ``input_tokens`` counts what no cache served.

The context display of Claude Code adds the three counts of the input. A count that is missing breaks anthropic's SDK
for Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WRITTEN = ("cache_write_tokens", "cache_creation_tokens")


def write_usage(usage: Mapping[str, Any] | None, estimate: int, said: int) -> dict[str, Any]:
    """Return *usage*, in chat's form, as Anthropic counts it.

    Where the provider reported none, *estimate* is the number of the input's tokens, and *said* the number of
    characters of the answer.
    """
    if usage is None:
        return _counts(max(estimate, 1), 0, 0, -(-said // 4))
    prompt = usage.get("prompt_tokens_details") or {}
    completion = usage.get("completion_tokens_details") or {}
    cached = prompt.get("cached_tokens") or 0
    written = next((prompt[name] for name in _WRITTEN if prompt.get(name)), 0)
    counts = _counts(
        max(usage["prompt_tokens"] - cached - written, 0), written, cached, usage["completion_tokens"]
    )
    if thoughts := completion.get("reasoning_tokens"):
        counts["output_tokens_details"] = {"thinking_tokens": thoughts}
    return counts


def first_usage(estimate: int) -> dict[str, Any]:
    """Return the counts at the start of a stream, when only an *estimate* of the input is known."""
    return _counts(max(estimate, 1), 0, 0, 0)


def _counts(fresh: int, written: int, cached: int, output: int) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": output,
    }
