"""Translates Anthropic's stop reason into the finish reason of a chat, or into a fault."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from proxy.core.errors import AnswerUnusable, UpstreamFault
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


def finish_reason(reason: Any, *, says: bool, thinks: bool) -> str:
    """Return the finish reason for a stop *reason*. *says* is true for an answer with a text or a call.

    *thinks* is true for one with thoughts. Raises :class:`UpstreamFault` for an unknown reason, and
    :class:`AnswerUnusable` for a whole answer that says nothing: a client would take it for the end of its task.
    """
    known = _REASONS.get(reason) if isinstance(reason, str) else None
    if known is None:
        words = f"The model's answer ended without a usable finish reason. ({str(reason)[:_LONGEST]})"
        raise UpstreamFault(words, cause=Cause.ODD_END)
    if known == "stop" and not says:
        cause = Cause.THINKING_ONLY if thinks else Cause.EMPTY
        raise AnswerUnusable("The model's answer says nothing.", cause=cause)
    return known


def raise_broken_off() -> NoReturn:
    """Raise :class:`UpstreamFault` for an answer without an end."""
    raise UpstreamFault("The provider's answer broke off before it was complete.", cause=Cause.TRUNCATED)
