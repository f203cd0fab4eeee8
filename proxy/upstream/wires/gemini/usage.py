"""Reads the token counts of an answer into OpenAI's fields."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.upstream.wires.gemini.counts import read_count

_PROMPT_MODALITIES = MappingProxyType({"AUDIO": "audio_tokens"})
_ANSWER_MODALITIES = MappingProxyType({"AUDIO": "audio_tokens", "IMAGE": "image_tokens"})
"""The modalities whose tokens have prices of their own."""


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
    in_prompt = {} if cached is None else {"cached_tokens": cached}
    if "promptTokensDetails" in metadata:
        in_prompt |= _by_modality(metadata["promptTokensDetails"], _PROMPT_MODALITIES)
    in_answer = {} if thoughts is None else {"reasoning_tokens": thoughts}
    if "candidatesTokensDetails" in metadata:
        in_answer |= _by_modality(metadata["candidatesTokensDetails"], _ANSWER_MODALITIES)
    if in_prompt:
        usage["prompt_tokens_details"] = in_prompt
    if in_answer:
        usage["completion_tokens_details"] = in_answer
    return usage


def read_tier(metadata: Mapping[str, Any]) -> str | None:
    """Return the service tier with a price of its own that served the request, in OpenAI's words, or None.

    Google AI Studio names it ``serviceTier`` (vercel/ai#15488), and Vertex ``trafficType``: ``ON_DEMAND_PRIORITY`` or
    ``ON_DEMAND_FLEX`` (llmgateway#2549).
    """
    for name in ("serviceTier", "trafficType"):
        value = metadata.get(name)
        tier = value.lower().removeprefix("on_demand_") if isinstance(value, str) else None
        if tier in ("flex", "priority"):
            return tier
    return None


def _by_modality(details: Any, names: Mapping[str, str]) -> dict[str, int]:
    """Return the counts of *details*, a list of counts by modality, under the *names* of their modalities."""
    counts: dict[str, int] = {}
    for one in details if isinstance(details, list) else ():
        modality = one.get("modality") if isinstance(one, dict) else None
        if isinstance(modality, str) and modality in names and (count := read_count(one.get("tokenCount"))):
            counts[names[modality]] = counts.get(names[modality], 0) + count
    return counts
