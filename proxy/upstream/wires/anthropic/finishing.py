"""Translates Anthropic's stop reason into the finish reason of a chat, or into a fault."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause

_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "end_turn": "stop",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "pause_turn": "stop",
        "refusal": "content_filter",
        "stop_sequence": "stop",
        "tool_use": "tool_calls",
    }
)
_LONGEST = 200


def finish_reason(reason: Any) -> str:
    """Return the finish reason for a stop *reason*. Raises :class:`UpstreamFault` for an unknown one."""
    known = _REASONS.get(reason) if isinstance(reason, str) else None
    if known is None:
        words = f"The model's answer ended without a usable finish reason. ({str(reason)[:_LONGEST]})"
        raise UpstreamFault(words, cause=Cause.ODD_END)
    return known


def raise_broken_off() -> NoReturn:
    """Raise :class:`UpstreamFault` for an answer without an end."""
    raise UpstreamFault("The provider's answer broke off before it was complete.", cause=Cause.TRUNCATED)
