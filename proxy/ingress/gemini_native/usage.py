"""Writes the token counts of an answer as ``usageMetadata``.

The prompt's count includes the cached tokens. The candidates' count is without thoughts, and the total has both
(ai.google.dev/api/generate-content#UsageMetadata). gemini-cli shortens its history by the prompt's count, so that an
answer without counts gets an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def write_usage(usage: Mapping[str, Any] | None, estimate: int, said: int) -> dict[str, int]:
    """Return *usage*, in chat's form, as Gemini counts it.

    Where the provider reported none, *estimate* is the number of the input's tokens, and *said* the number of
    characters of the answer.
    """
    if usage is None:
        return _counts(estimate, -(-said // 4), 0, None)
    prompt = usage.get("prompt_tokens_details") or {}
    completion = usage.get("completion_tokens_details") or {}
    thoughts = completion.get("reasoning_tokens") or 0
    answered = max(usage["completion_tokens"] - thoughts, 0)
    return _counts(usage["prompt_tokens"], answered, thoughts, prompt.get("cached_tokens"))


def _counts(prompt: int, answered: int, thoughts: int, cached: int | None) -> dict[str, int]:
    prompt = max(prompt, 1)
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": answered}
    if thoughts:
        counts["thoughtsTokenCount"] = thoughts
    if cached:
        counts["cachedContentTokenCount"] = min(cached, prompt)
    return {**counts, "totalTokenCount": prompt + answered + thoughts}
