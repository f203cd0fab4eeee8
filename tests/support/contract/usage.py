"""Judges the usage of an answer: OpenAI's three counts, which add up, and their details."""

from __future__ import annotations

from typing import Any

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def judge_usage(usage: Any, notes: list[str]) -> None:
    """Note counts that are missing or negative, a wrong total, and details that are larger than their count."""
    if not isinstance(usage, dict):
        notes.append(f"usage: is {usage!r}")
        return
    counts: list[Any] = [usage.get(name) for name in _COUNTS]
    if not all(type(count) is int and count >= 0 for count in counts):
        notes.append(f"usage: counts are {counts}")
        return
    prompt, completion, total = counts
    if total != prompt + completion:
        notes.append(f"usage: {prompt} and {completion} are not {total}")
    for name, whole in (
        ("prompt_tokens_details", "cached_tokens"),
        ("completion_tokens_details", "reasoning_tokens"),
    ):
        details = usage.get(name)
        if details is None:
            continue
        if not isinstance(details, dict) or not all(
            type(count) is int and count >= 0 for count in details.values()
        ):
            notes.append(f"usage: {name} is {details!r}")
        elif details.get(whole, 0) > usage[name.removesuffix("_details")]:
            notes.append(f"usage: {whole} is more than all")
