"""The stop reason of an answer, from the finish reason of a chat.

A content filter is a ``refusal`` with its details. A chat does not tell which stop sequence ended an answer, so that
``stop_sequence`` is null here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "content_filter": "refusal",
        "function_call": "tool_use",
        "length": "max_tokens",
        "stop": "end_turn",
        "tool_calls": "tool_use",
    }
)
_DETAILS = MappingProxyType({"type": "refusal", "category": None, "explanation": None})


def describe_stop(reason: str) -> dict[str, Any]:
    """Return the fields that say why an answer with the finish *reason* ended."""
    stop: dict[str, Any] = {"stop_reason": _REASONS[reason], "stop_sequence": None}
    if reason == "content_filter":
        stop["stop_details"] = dict(_DETAILS)
    return stop
