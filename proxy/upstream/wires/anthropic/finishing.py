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


def finish_reason(reason: Any) -> str:
    """Return the finish reason for a stop *reason*. A word of a later version of the API, or of a beta, is ``stop``.

    The whole answer is there, and a client of the Messages API gets the word itself (``compaction`` is such a word).
    Raises :class:`UpstreamFault` for a reason that is no word.
    """
    if not isinstance(reason, str) or not reason:
        words = "The model's answer ended without a usable finish reason."
        raise UpstreamFault(words, cause=Cause.ODD_END)
    return _REASONS.get(reason, "stop")


def raise_broken_off() -> NoReturn:
    """Raise :class:`UpstreamFault` for an answer without an end."""
    raise UpstreamFault("The provider's answer broke off before it was complete.", cause=Cause.TRUNCATED)
