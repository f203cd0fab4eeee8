"""Reads the answers of servers that speak OpenAI's wire: whole answers and stream events.

The answers are in OpenAI's format already, which the proxy uses internally. :mod:`proxy.answers.normalize` makes them
uniform. This module checks that a body is an answer and that it is complete. An answer that broke off must never look
like a finished one.
"""

from __future__ import annotations

from typing import Any

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, Chunk
from proxy.upstream.wires.openai.odd_usage import take_odd_usage
from proxy.upstream.wires.openai.refusals import raise_error
from proxy.upstream.wires.openai.shapes import NO_COMPLETION, read_choices
from proxy.upstream.wires.payloads import load_payload

DONE = b"[DONE]"
"""The payload that ends a stream."""

BROKEN_OFF = "The provider's answer broke off before it was complete."
_AFTER_FINISH = "The provider's stream went on after the finish reason."
_TEXTS = ("content", "reasoning_content", "refusal")


def read_answer(body: bytes) -> Answer:
    """Return a whole answer.

    Raises :class:`UpstreamFault` for a 200 without an answer: HTML, an error object, other JSON, a choice without a
    message or without a finish reason. Choices that share an index are numbered by their order, since some servers
    send 0 for all.
    """
    value = load_payload(body)
    if (
        type(value) is not dict
        or "error" in value
        or "choices" not in value
        or value.get("object") == "error"
    ):
        raise_error(value)
    if not isinstance(value, dict) or value.get("choices") is None:
        raise_error(value)
        raise UpstreamFault(NO_COMPLETION)
    choices = read_choices(value, "message")
    if not choices:
        raise_error(value)
    ended = True
    for choice in choices:
        if choice.get("message") is None:
            raise UpstreamFault(NO_COMPLETION)
        if not choice.get("finish_reason"):
            ended = False
    if not ended:
        raise UpstreamFault(BROKEN_OFF, cause=Cause.TRUNCATED)
    if len(choices) > 1 and len({choice["index"] for choice in choices}) < len(choices):
        for at, choice in enumerate(choices):
            choice["index"] = at
    return value


class StreamReader:
    """Reads the payloads of one stream. ``ended`` is true after ``[DONE]``.

    A stream is complete when every choice seen in it has a finish reason. ``[DONE]`` proves nothing, and some servers
    leave it out.
    """

    def __init__(self) -> None:
        self.ended = False
        self._seen: set[int] = set()
        self._finished: set[int] = set()

    def feed(self, payload: bytes) -> list[Chunk]:
        """Return the chunk in *payload*, if it holds one. Return one chunk for each choice if choices share an index.

        If the first chunk of a stream held such choices, OpenAI's own client would keep only the last choice.

        Raises :class:`UpstreamFault` for an error object, and for a payload that is no chunk. It is also raised for a
        choice that goes on after its finish reason, since clients read nothing after that reason. Payloads after
        ``[DONE]`` are ignored.
        """
        if self.ended:
            return []
        if payload[:1] != b"{":  # JSON that begins otherwise is no chunk, and blanks are rare
            payload = payload.strip()
            if not payload:
                return []
            if payload == DONE:
                self.ended = True
                return []
        value = load_payload(payload)
        if (
            type(value) is not dict
            or "error" in value
            or "choices" not in value
            or value.get("object") == "error"
        ):
            raise_error(value)
            if type(value) is not dict:
                raise UpstreamFault(NO_COMPLETION)
        choices = self._choices(value)
        if not choices:
            raise_error(value)
        for choice in choices:  # none in a chunk of usage, or of Azure's prompt filter
            index = choice["index"]
            if index in self._finished and self._has_content(choice):
                raise UpstreamFault(_AFTER_FINISH)
            if index not in self._seen:
                self._seen.add(index)
            if choice.get("finish_reason"):
                self._finished.add(index)
                take_odd_usage(value, choice)
        if len(choices) > 1 and len({choice["index"] for choice in choices}) < len(choices):
            return [{**value, "choices": [choice]} for choice in choices]
        return [value]

    def _choices(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        return read_choices(value, "delta")

    def _has_content(self, choice: dict[str, Any]) -> bool:
        return _has_content(choice.get("delta") or {})

    def may_end(self, wanted: int) -> bool:
        """Tell whether at least *wanted* choices have a finish reason, and no seen choice lacks one."""
        finished = len(self._finished)
        return finished >= wanted and finished >= len(self._seen)

    def is_over(self) -> bool:
        """Return True: only usage comes after the finish reasons."""
        return True

    def usage_so_far(self) -> None:
        """Return None: the chunks have the usage."""

    def close(self) -> list[Chunk]:
        """Return nothing. Raises :class:`UpstreamFault` for a stream that is not complete."""
        if not self._seen:
            raise UpstreamFault("The provider's stream ended without an answer.", cause=Cause.EMPTY)
        if self._seen - self._finished:
            words = "The provider's stream broke off before the answer was complete."
            raise UpstreamFault(words, cause=Cause.TRUNCATED)
        return []


def _has_content(delta: dict[str, Any]) -> bool:
    """Tell whether *delta* has content.

    Blanks and empty fields, which some servers send with the usage, are no content.
    """
    if any(isinstance(delta.get(name), str) and delta[name].strip() for name in _TEXTS):
        return True
    if any(call.get("id") or call.get("function") for call in delta.get("tool_calls") or ()):
        return True  # a piece with neither is a late signature (open-webui/computer#224)
    return bool(delta.get("function_call") or delta.get("audio"))
