"""Brings the usage in a stream into its place in OpenAI's form."""

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
