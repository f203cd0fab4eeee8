"""The numbers that come with an answer, token counts and log probabilities, in OpenAI's types. Pure.

They are extras: one that a provider wrote in a way of its own is left out, and the answer is not refused for it.
"""

from __future__ import annotations

from typing import Any

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_DETAILS = ("prompt_tokens_details", "completion_tokens_details")


def normalize_usage(usage: dict[str, Any]) -> dict[str, Any]:
    """Return OpenAI's own fields of *usage* that are counts, and the details that are."""
    known: dict[str, Any] = {
        name: count for name in _COUNTS if (count := _count(usage.get(name))) is not None
    }
    for name in _DETAILS:
        details = usage.get(name)
        if isinstance(details, dict):
            known[name] = {key: count for key, v in details.items() if (count := _count(v)) is not None}
    return known


def _count(value: Any) -> int | None:
    """Return *value* as a count; some servers count in floats."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and value >= 0 else None


def normalize_logprobs(logprobs: Any) -> dict[str, Any] | None:
    """Return *logprobs* in the shape of chat completions; None where they have another, such as that of completions."""
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
