"""Translates a choice's finish reason into OpenAI's word, or raises a fault.

Servers of OpenAI's wire pass on the finish reasons of their engine, and strict clients refuse unknown ones. An
unknown reason does not become ``stop``, which would mean a complete answer. Examples are ``network_error``,
``insufficient_system_resource``, ``abort`` and ``function_call_filter: …``. Gemini's own wire has the same rule
(:mod:`proxy.upstream.wires.gemini.finishing`).

Sources (2026-11): OpenAI's chat completions reference. Anthropic's and Cohere's lists of stop reasons. Hugging Face's
text-generation-inference and Together (``eos``, ``eos_token``, ``stop_sequence``). Mistral's API (``model_length``).
Zhipu's (docs.bigmodel.cn: ``sensitive``, ``network_error``; ``model_context_window_exceeded``, opencode#18813).
DeepSeek's (``insufficient_system_resource``). Google's ``FinishReason``. Bedrock's guardrails. litellm 1.105.3's
table, which calls every other word ``stop``.
"""

from __future__ import annotations

from types import MappingProxyType

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause

_KNOWN = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})
_REASONS = MappingProxyType(
    {
        **{reason: reason for reason in _KNOWN},
        **dict.fromkeys(("complete", "end_turn", "eos", "eos_token", "stop_sequence"), "stop"),
        **dict.fromkeys(
            ("max_length", "max_tokens", "model_context_window_exceeded", "model_length"), "length"
        ),
        **dict.fromkeys(("tool_call", "tool_use"), "tool_calls"),
        **dict.fromkeys(
            (
                "blocklist",
                "content_filtered",
                "error_toxic",
                "guardrail_intervened",
                "image_prohibited_content",
                "image_safety",
                "language",
                "prohibited_content",
                "recitation",
                "refusal",
                "safety",
                "sensitive",
                "spii",
            ),
            "content_filter",
        ),
    }
)
_LONGEST = 200


def finish_reason(reason: str) -> str | None:
    """Return OpenAI's word for *reason* in any letter case. The result is None for an empty text and for ``null``.

    Raises :class:`UpstreamFault` for an error and for an unknown word.
    """
    if reason in _KNOWN:
        return reason
    word = reason.lower()
    if word in ("", "null"):
        return None
    if word == "error":
        raise UpstreamFault("The provider broke the answer off with an error.")
    known = _REASONS.get(word)
    if known is None:
        words = f"The model's answer ended without a usable finish reason. ({reason[:_LONGEST]})"
        raise UpstreamFault(words, cause=Cause.ODD_END)
    return known
