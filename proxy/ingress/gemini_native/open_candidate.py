"""One candidate of a streamed answer: what it has said, the calls that it keeps, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.answers.find_empty import CUT_OFF
from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.finish_reasons import FILTERED, FINISH_REASONS
from proxy.ingress.gemini_native.held_calls import HeldCalls
from proxy.ingress.gemini_native.logprobs import write_logprobs
from proxy.ingress.gemini_native.write_answer import write_content
from proxy.ingress.gemini_native.write_parts import Part, signature_of, write_calls, write_thought

EMPTY: list[Part] = [{"text": ""}]
"""The parts of a piece that says nothing: google-genai forgets a turn where a piece has no part (3.6.1, 2026-11)."""


class OpenCandidate:
    """The candidate at *index*."""

    def __init__(self, context: AnswerContext, index: int) -> None:
        self.has_said = False
        """True once a part of it was written."""

        self.has_ended = False
        """True once a finish reason was written."""

        self.reason: str | None = None
        """The chat's finish reason, once it is known."""

        self._context = context
        self._index = index
        self._calls = HeldCalls()
        self._last: Mapping[str, Any] = {}

    def relay(self, delta: Mapping[str, Any], native: Mapping[str, Any]) -> None:
        """Note that *native*, a piece of the candidate, was written as the provider sent it. *delta* is its form."""
        self.has_said = True
        if native.get("finishReason"):
            self.has_ended = True
        if (pieces := delta.get("tool_calls")) is not None:
            self._calls.relay(pieces)

    def read(self, choice: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the candidate's piece for *choice*, or None where nothing can be written yet."""
        delta = choice["delta"]
        parts: list[Part] = []
        if self._context.shows_thoughts and (thoughts := delta.get("reasoning_content")):
            parts.append(write_thought(thoughts))
        for name in ("content", "refusal"):
            if text := delta.get(name):
                parts.append({"text": text})
        if (pieces := delta.get("tool_calls")) is not None:
            self._calls.add(pieces)
        if legacy := delta.get("function_call"):
            self._calls.add_legacy(legacy)
        if choice["finish_reason"] is not None:
            self.reason, self._last = choice["finish_reason"], delta
        logprobs = choice.get("logprobs")
        written = write_logprobs(logprobs) if logprobs else None
        if not parts and written is None:
            return None
        self.has_said = self.has_said or bool(parts)
        piece = {"content": write_content(parts or EMPTY), "index": self._index}
        return piece if written is None else {**piece, "logprobsResult": written}

    def end(self) -> dict[str, Any] | None:
        """Return the last piece: the calls and the finish reason. None where the provider's own end was written."""
        assert self.reason is not None, "the choice has ended"
        is_cut = self.reason in CUT_OFF
        parts: list[Part] = []
        signature = None if self.has_ended else signature_of(self._last)
        if signature is not None:
            parts.append({"text": "", "thoughtSignature": signature})
        calls = self._calls.take(self._context, self._index)
        if calls:
            parts += write_calls(self._context, calls, self._last.get("thinking_blocks") or (), is_cut=is_cut)
        if self.has_ended and not parts:
            return None
        finish = FINISH_REASONS[self.reason]
        if not parts and not self.has_said and finish == "STOP":
            parts = [{"text": " "}]  # gemini-cli asks four times for an answer without parts
        self.has_said = self.has_said or bool(parts)
        return {"content": write_content(parts or EMPTY), "finishReason": finish, "index": self._index}

    @property
    def holds_calls(self) -> bool:
        """True where calls are kept for the end."""
        return self._calls.are_held

    @property
    def is_blocked(self) -> bool:
        """True where a content filter has let nothing through."""
        return FINISH_REASONS.get(self.reason or "") == FILTERED and not self.has_said
