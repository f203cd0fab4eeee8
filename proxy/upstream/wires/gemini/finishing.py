"""Translates the end of a Gemini candidate into OpenAI's finish reason, or into a fault."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause

FILTERED = "content_filter"
INCOMPLETE = "length"

_REASONS = MappingProxyType(
    {
        "STOP": "stop",
        "MAX_TOKENS": INCOMPLETE,
        **dict.fromkeys(
            (
                "BLOCKLIST",
                "IMAGE_PROHIBITED_CONTENT",
                "IMAGE_SAFETY",
                "LANGUAGE",
                "MODEL_ARMOR",
                "PROHIBITED_CONTENT",
                "RECITATION",
                "SAFETY",
                "SPII",
            ),
            FILTERED,
        ),
    }
)

_FAULTS = MappingProxyType(
    {
        "MALFORMED_FUNCTION_CALL": (Cause.MALFORMED_CALL, "The model wrote a tool call that cannot be read."),
        "UNEXPECTED_TOOL_CALL": (Cause.UNEXPECTED_CALL, "The model called a tool that was not declared."),
    }
)
_ODD_END = (Cause.ODD_END, "The model's answer ended without a usable finish reason.")
_LONGEST = 500


@dataclass(slots=True)
class PartKinds:
    """The kinds of parts that a candidate has held so far."""

    has_text: bool = False
    """True when there was text that is no thought."""

    has_thought: bool = False
    has_call: bool = False
    has_media: bool = False


def finish_reason(reason: str | None, message: str | None, kinds: PartKinds, *, relays: bool = False) -> str:
    """Return OpenAI's finish reason for Gemini's *reason*. *message* is Gemini's explanation, if any.

    *kinds* are the kinds of parts that the candidate held. Raises :class:`UpstreamFault`, with its cause, for a
    candidate that is no complete answer. Examples are an unreadable call (langgraph#6574), an unknown reason, an empty
    candidate (python-genai#1289), and a stream that broke off. A client would take an empty ``stop`` for a complete
    answer.

    With *relays* the client gets the candidate as it came, and reads an unknown reason itself. For such a reason behind
    a text or a call, the result is ``length``: the answer is no complete one.
    """
    if reason is None:
        words = "The model's answer broke off: it has no finish reason."
        raise UpstreamFault(words, cause=Cause.TRUNCATED)
    known = _REASONS.get(reason)
    if known is None and relays and reason not in _FAULTS and (kinds.has_text or kinds.has_call):
        return INCOMPLETE
    if known is None:
        cause, what = _FAULTS.get(reason, _ODD_END)
        detail = f" {message[:_LONGEST]}" if message else ""
        raise UpstreamFault(f"{what} ({reason[:_LONGEST]}){detail}", cause=cause)
    if known != "stop":
        return known
    if kinds.has_call:
        return "tool_calls"
    if not kinds.has_text:
        if kinds.has_media:
            raise UpstreamFault("The model's answer holds only media, which is not carried yet.")
        if kinds.has_thought:
            words = "The model's answer holds thoughts and nothing else."
            raise UpstreamFault(words, cause=Cause.THINKING_ONLY)
        raise UpstreamFault("The model's answer holds nothing.", cause=Cause.EMPTY)
    return known
