"""The answers of the provider that bills, in three wires: OpenAI's chat completions, Anthropic's Messages, Gemini's.

Each wire says the usage where the real one says it. OpenAI says it behind the last chunk, and only where it is asked.
Anthropic says the prompt in the first event and the output in the last. Gemini says both in each chunk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from benchmarks.limits.bill import Usage


class Answer(NamedTuple):
    """An answer to be written: its text in pieces, and its usage. The first *thoughts* pieces are reasoning."""

    pieces: Sequence[str]
    usage: Usage
    thoughts: int = 0

    @property
    def reasoning(self) -> str:
        """The text of the reasoning."""
        return "".join(self.pieces[: self.thoughts])

    @property
    def text(self) -> str:
        """The text of the answer."""
        return "".join(self.pieces[self.thoughts :])

    def until(self, place: int) -> Usage:
        """Return the usage after the first *place* pieces."""
        words = len("".join(self.pieces[:place]).split())
        return replace(self.usage, output=words, reasoning=min(words, self.usage.reasoning))


class BillingWire(Protocol):
    """One wire of the provider."""

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Return the whole answer."""

    def stream(self, answer: Answer, *, says_usage: bool) -> Iterator[tuple[bytes, int]]:
        """Yield each event, with the number of pieces that it and those before it have carried."""


def _event(value: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()


class OpenAIChat:
    """OpenAI's chat completions."""

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Return a chat completion."""
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.thoughts:
            message["reasoning_content"] = answer.reasoning
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {**self._head("chat.completion"), "choices": [choice], "usage": openai_usage(answer.usage)}

    def stream(self, answer: Answer, *, says_usage: bool) -> Iterator[tuple[bytes, int]]:
        """Yield the chunks, and the usage behind them where it was asked for."""
        yield self._chunk({"role": "assistant", "content": ""}), 0
        for place, piece in enumerate(answer.pieces):
            kind = "reasoning_content" if place < answer.thoughts else "content"
            yield self._chunk({kind: piece}), place + 1
        yield self._chunk({}, "stop"), len(answer.pieces)
        if says_usage:
            last = {**self._head("chat.completion.chunk"), "choices": [], "usage": openai_usage(answer.usage)}
            yield _event(last), len(answer.pieces)
        yield b"data: [DONE]\n\n", len(answer.pieces)

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "c1", "object": kind, "created": 1, "model": "m"}

    def _chunk(self, delta: dict[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({**self._head("chat.completion.chunk"), "choices": [choice]})


def openai_usage(usage: Usage) -> dict[str, Any]:
    """Return the usage in OpenAI's words."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


_BEGUN: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
}
"""A message of Anthropic's before its first content."""


class AnthropicMessages:
    """Anthropic's Messages."""

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Return a message."""
        content = [{"type": "text", "text": answer.text}] if answer.text else []
        return {
            **_BEGUN,
            "content": content,
            "stop_reason": "end_turn",
            "usage": anthropic_usage(answer.usage),
        }

    def stream(self, answer: Answer, *, says_usage: bool) -> Iterator[tuple[bytes, int]]:
        """Yield the events. The usage is said always."""
        first = {**_BEGUN, "usage": {**anthropic_usage(answer.usage), "output_tokens": 1}}
        yield self._event({"type": "message_start", "message": first}), 0
        block = {"type": "text", "text": ""}
        yield self._event({"type": "content_block_start", "index": 0, "content_block": block}), 0
        for place, piece in enumerate(answer.pieces):
            delta = {"type": "text_delta", "text": piece}
            yield self._event({"type": "content_block_delta", "index": 0, "delta": delta}), place + 1
        count = len(answer.pieces)
        yield self._event({"type": "content_block_stop", "index": 0}), count
        ended = {"stop_reason": "end_turn", "stop_sequence": None}
        usage = {"output_tokens": answer.usage.output}
        yield self._event({"type": "message_delta", "delta": ended, "usage": usage}), count
        yield self._event({"type": "message_stop"}), count

    def _event(self, value: dict[str, Any]) -> bytes:
        return _event(value, value["type"])


def anthropic_usage(usage: Usage) -> dict[str, Any]:
    """Return the usage in Anthropic's words, which count the cached and the written tokens apart from the input."""
    return {
        "input_tokens": usage.prompt - usage.cached - usage.written,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": usage.written,
        "output_tokens": usage.output,
    }


class GeminiContents:
    """Gemini's generateContent."""

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Return an answer with one candidate."""
        return self._answer(answer.text, answer.usage, finish="STOP")

    def stream(self, answer: Answer, *, says_usage: bool) -> Iterator[tuple[bytes, int]]:
        """Yield the chunks. Each says the usage so far."""
        last = len(answer.pieces)
        for place, piece in enumerate(answer.pieces, 1):
            finish = "STOP" if place == last else None
            yield _event(self._answer(piece, answer.until(place), finish)), place

    def _answer(self, text: str, usage: Usage, finish: str | None) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        return {"candidates": [candidate], "usageMetadata": gemini_usage(usage), "modelVersion": "m"}


def gemini_usage(usage: Usage) -> dict[str, Any]:
    """Return the usage in Gemini's words, which count the thoughts apart from the candidates."""
    return {
        "promptTokenCount": usage.prompt,
        "cachedContentTokenCount": usage.cached,
        "candidatesTokenCount": usage.output - usage.reasoning,
        "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": usage.tokens,
    }
