"""Brings the usage of some providers into OpenAI's form: the place in a stream, and the tokens of reasoning."""

from __future__ import annotations

from typing import Any


def take_odd_usage(chunk: dict[str, Any], choice: dict[str, Any]) -> None:
    """Write the usage of a finished *choice* into its *chunk*, in place, where the chunk has none.

    Moonshot writes a stream's usage into the choice (pi#2016), and Groq into ``x_groq`` (console.groq.com/docs).
    """
    if chunk.get("usage") is not None:
        return
    own = chunk.get("x_groq")
    usage = choice.get("usage") or (own.get("usage") if isinstance(own, dict) else None)
    if isinstance(usage, dict):
        chunk["usage"] = usage


def count_reasoning(usage: dict[str, Any]) -> None:
    """Count the tokens of reasoning among those of the answer, in place, where the provider counts them beside.

    xAI does so (litellm 1.105.3, `llms/xai/chat/transformation.py`). The total tells: it has all three counts.
    """
    details = usage.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    if not reasoning or reasoning.__class__ is not int:
        return
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if prompt.__class__ is not int or completion.__class__ is not int:
        return
    if usage.get("total_tokens") == prompt + completion + reasoning:
        usage["completion_tokens"] = completion + reasoning
