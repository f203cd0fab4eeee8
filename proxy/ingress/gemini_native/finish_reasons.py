"""The finish reason of a candidate, from the finish reason of a chat.

Gemini has no reason for calls: an answer with calls ends with STOP, as any other does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FILTERED = "SAFETY"
"""The reason of an answer that a content filter has ended, and of a prompt that it has blocked."""

FINISH_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "content_filter": FILTERED,
        "function_call": "STOP",
        "length": "MAX_TOKENS",
        "stop": "STOP",
        "tool_calls": "STOP",
    }
)
"""Gemini's finish reason by that of a chat."""
