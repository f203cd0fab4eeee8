"""Reads the token counts of an answer into OpenAI's fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.wires.gemini.counts import read_count


def is_complete(metadata: Mapping[str, Any]) -> bool:
    """Tell whether *metadata* counts the answer's tokens. Earlier events may hold fewer counts, or none.

    Vertex sends only ``trafficType`` until the end (agenthub notes).
    """
    return (
        read_count(metadata.get("totalTokenCount")) is not None
        or read_count(metadata.get("candidatesTokenCount")) is not None
    )


def read_usage(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``usage`` for ``usageMetadata``, empty if it has only a total.

    Gemini counts thoughts separately (envoy ai-gateway#2399). Some gateways count them within the candidates' tokens.
    If the total already equals prompt plus candidates, the thoughts are not added again (litellm#10141). A count that
    is no number counts as missing.
    """
    prompt = read_count(metadata.get("promptTokenCount")) or 0
    prompt += read_count(metadata.get("toolUsePromptTokenCount")) or 0
    completion = read_count(metadata.get("candidatesTokenCount")) or 0
    thoughts = read_count(metadata.get("thoughtsTokenCount"))
    cached = read_count(metadata.get("cachedContentTokenCount"))
    total = read_count(metadata.get("totalTokenCount")) or 0
    if thoughts and prompt + completion != total:
        completion += thoughts
    if not prompt and not completion and "promptTokenCount" not in metadata:
        return {}
    usage: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    if thoughts is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return usage
