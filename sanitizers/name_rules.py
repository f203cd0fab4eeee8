"""The rules of each provider for the names of tools."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NameRule:
    """A provider's rule: *pattern* matches a whole tool name, and *max_length* is the most characters of a name.

    Renamed tools consist of a letter or ``_``, then at most 63 letters, digits, ``_`` and ``-``. Every rule accepts
    such names.
    """

    pattern: str
    max_length: int


OPENAI_NAMES = NameRule("[a-zA-Z0-9_-]+", 64)
"""OpenAI's rule. Mistral and Bedrock have the same rule, and most servers with OpenAI's API copied it."""

GEMINI_NAMES = NameRule("[A-Za-z_][A-Za-z0-9_.:-]*", 64)
"""Gemini's rule (gemini-cli#2966, #7664, #12425, vscode#248000). Colons are accepted since the end of 2025."""

ANY_NAMES = NameRule(r"[\s\S]+", 1_000_000)
"""No rule: names that a client wrote in the provider's own format are left to the provider."""
