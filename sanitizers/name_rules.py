"""What the names of tools may be made of, at each provider. Data alone: the checker and the rename read it apart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NameRule:
    """A provider's rule for the name of a tool: *pattern* is of a whole name, *max_length* in characters.

    Every rule takes a letter or ``_``, then at most 63 letters, digits, ``_`` and ``-``: what names are changed to.
    """

    pattern: str
    max_length: int


OPENAI_NAMES = NameRule("[a-zA-Z0-9_-]+", 64)
"""OpenAI's own; Mistral and Bedrock write the same, and most servers that speak OpenAI's wire copied it."""

GEMINI_NAMES = NameRule("[A-Za-z_][A-Za-z0-9_.:-]*", 64)
"""Gemini's (gemini-cli#2966, #7664, #12425, vscode#248000; colons since the end of 2025)."""
