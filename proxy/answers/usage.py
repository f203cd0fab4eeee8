"""Brings token counts and log probabilities of an answer into OpenAI's types.

Both are optional in an answer. A value in another form is left out, and the answer stays valid.
"""

from __future__ import annotations

from typing import Any

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_CACHED = ("prompt_cache_hit_tokens", "cached_tokens")
_DETAILS = {
    "prompt_tokens_details": frozenset(
        {"audio_tokens", "cache_write_1h_tokens", "cache_write_tokens", "cached_tokens"}
    ),
    "completion_tokens_details": frozenset(
        {
            "accepted_prediction_tokens",
            "audio_tokens",
            "image_tokens",
            "reasoning_tokens",
            "rejected_prediction_tokens",
        }
    ),
}
"""OpenAI's details of each count (chat completions reference, 2026-11), and two that only prices need.

``cache_write_1h_tokens`` is the part of ``cache_write_tokens`` that a cache keeps for an hour. ``image_tokens`` are
those of images in the answer.
"""

_WRITES = "cache_creation_token_details"
"""litellm's name of Anthropic's counts of writes to a cache, by the time that the cache keeps them."""


def normalize_usage(usage: dict[str, Any]) -> dict[str, Any]:
    """Return OpenAI's counts in *usage* with their details. Empty where a count is missing and not computable.

    The total is the sum of the other two counts, as in OpenAI's API. Google's OpenAI endpoint counts reasoning tokens
    only in the total (envoy ai-gateway#2399). If the total exceeds the sum of the other two counts, the difference is
    added to the completion tokens. Cached tokens are also read under DeepSeek's and Moonshot's names.
    """
    known: dict[str, Any] = {}
    for name in _COUNTS:
        count = usage.get(name)
        if count.__class__ is not int or count >> 53:  # nearly all are plain integers
            count = _count(count)
            if count is None:
                continue
        known[name] = count
    for name, keys in _DETAILS.items():
        given = usage.get(name)
        if isinstance(given, dict):
            details = {}
            for key, count in given.items():
                if key in keys:
                    if count.__class__ is not int or count >> 53:
                        count = _count(count)
                        if count is None:
                            continue
                    details[key] = count
            if _WRITES in given:
                _add_hour(given[_WRITES], details)
            if details:
                known[name] = details
    for name in _CACHED:
        if name in usage and (cached := _count(usage[name])) is not None:
            known.setdefault("prompt_tokens_details", {}).setdefault("cached_tokens", cached)
    total = known.get("total_tokens", 0)
    if "prompt_tokens" not in known or "completion_tokens" not in known:
        for name, other in (_COUNTS[:2], _COUNTS[1::-1]):
            if name not in known and other in known and total >= known[other]:
                known[name] = total - known[other]
        if "prompt_tokens" not in known or "completion_tokens" not in known:
            return {}
    counted = known["prompt_tokens"] + known["completion_tokens"]
    if total > counted:
        known["completion_tokens"] += total - counted
        known.setdefault("completion_tokens_details", {}).setdefault("reasoning_tokens", total - counted)
        counted = total
    known["total_tokens"] = counted
    return known


def _add_hour(writes: Any, details: dict[str, int]) -> None:
    """Add the tokens that a cache keeps for an hour to *details*, from litellm's *writes*."""
    kept = _count(writes.get("ephemeral_1h_input_tokens")) if isinstance(writes, dict) else None
    if kept:
        details["cache_write_1h_tokens"] = kept


def _count(value: Any) -> int | None:
    """Return *value* as a count, or None where it is not a count.

    Some servers count in floats. A number above JavaScript's safe range is not a count.
    """
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value < 2**53 else None


def normalize_logprobs(logprobs: Any) -> dict[str, Any] | None:
    """Return *logprobs* in the form of chat completions.

    None where *logprobs* have another form, such as the form of text completions.
    """
    if not isinstance(logprobs, dict) or not logprobs.keys() & {"content", "refusal"}:
        return None
    lists = {name: logprobs.get(name) for name in ("content", "refusal")}
    if not all(tokens is None or _are_tokens(tokens, top=True) for tokens in lists.values()):
        return None
    return {name: tokens for name, tokens in lists.items() if name in logprobs}


def _are_tokens(tokens: Any, *, top: bool = False) -> bool:
    return isinstance(tokens, list) and all(
        isinstance(token, dict)
        and isinstance(token.get("token"), str)
        and isinstance(token.get("logprob"), (int, float))
        and not isinstance(token["logprob"], bool)
        and _are_bytes(token.get("bytes"))
        and (not top or _are_tokens(token.get("top_logprobs", [])))
        for token in tokens
    )


def _are_bytes(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(type(byte) is int for byte in value))
