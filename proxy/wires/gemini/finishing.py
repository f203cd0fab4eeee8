"""Why a candidate ended: OpenAI's finish reason for it, or the fault that it is."""

from __future__ import annotations

from types import MappingProxyType

from proxy.errors import UpstreamFault

FILTERED = "content_filter"

_REASONS = MappingProxyType(
    {
        "STOP": "stop",
        "MAX_TOKENS": "length",
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
        "MALFORMED_FUNCTION_CALL": "The model wrote a tool call that cannot be read.",
        "UNEXPECTED_TOOL_CALL": "The model called a tool that was not declared.",
    }
)
_LONGEST = 500


def finish_reason(reason: str | None, message: str | None, *, spoke: bool, called: bool, media: bool) -> str:
    """Return OpenAI's reason for Gemini's *reason*; *message* is Gemini's explanation, if any.

    *spoke*, *called* and *media* tell what the candidate held. Raises :class:`UpstreamFault` for an end that is
    none: a call that cannot be read (langgraph#6574), a reason that nobody knows, a candidate that says nothing
    (python-genai#1289), a stream that broke off. A client would take an empty ``stop`` for the model's last word.
    """
    if reason is None:
        raise UpstreamFault("The model's answer broke off: it has no finish reason.")
    known = _REASONS.get(reason)
    if known is None:
        what = _FAULTS.get(reason, "The model's answer ended for a reason that is not an answer.")
        detail = f" {message[:_LONGEST]}" if message else ""
        raise UpstreamFault(f"{what} ({reason[:_LONGEST]}){detail}")
    if known != "stop":
        return known
    if called:
        return "tool_calls"
    if not spoke:
        held = "only media, which is not carried yet" if media else "nothing"
        raise UpstreamFault(f"The model's answer holds {held}.")
    return known
