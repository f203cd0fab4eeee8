"""Brings text completions and their chunks into OpenAI's form.

A provider's own fields of a choice are removed, as in chats (:mod:`proxy.answers.normalize`), since strict clients
refuse them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proxy.answers.find_empty import CUT_OFF
from proxy.answers.join_surrogates import REPLACEMENT, PendingSurrogates, join_surrogates
from proxy.answers.received_text import ReceivedText
from proxy.answers.usage import normalize_usage
from proxy.core.errors import AnswerUnusable
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, Chunk

_OBJECT = "text_completion"


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values for fields that the provider leaves out."""

    id: str
    created: int
    """Unix time, in seconds."""

    model: str


def check_text(answer: Answer, defaults: Defaults, *, may_be_empty: bool) -> Answer:
    """Return *answer* in OpenAI's form.

    Raises :class:`AnswerUnusable` for an answer without choices. An empty answer also raises it, unless *may_be_empty*
    is true.
    """
    choices = answer.get("choices")
    if not choices or not (may_be_empty or any(map(_has_content, choices))):
        raise AnswerUnusable("The provider's answer holds nothing.", cause=Cause.EMPTY)
    written = {**_head(answer, defaults), "choices": [_choice(choice, choice["text"]) for choice in choices]}
    usage = answer.get("usage")
    if isinstance(usage, dict) and (counted := normalize_usage(usage)):
        written["usage"] = counted
    return written


class TextChunks:
    """Brings one stream's chunks into OpenAI's form. All of them get the same id, time and model."""

    def __init__(self, defaults: Defaults, *, include_usage: bool) -> None:
        self._defaults = defaults
        self._head: dict[str, Any] | None = None
        self._include_usage = include_usage
        self._surrogates: PendingSurrogates = {}
        self.finished = False
        self.usage: dict[str, Any] | None = None
        """The provider's latest usage report, if any."""

        self.service_tier: str | None = None
        """The service tier that the chunk with the usage names."""

        self.received = ReceivedText()
        """The text that came after the latest usage report."""

    def normalize(self, chunk: Chunk) -> Chunk | None:
        """Return the chunk for the client, or None where the client needs none."""
        if self._head is None:
            self._head = _head(chunk, self._defaults)
        usage = chunk.get("usage")
        if isinstance(usage, dict) and usage and (counts := normalize_usage(usage)):
            self.usage = counts
            tier = chunk.get("service_tier")
            self.service_tier = tier if isinstance(tier, str) else None
        choices = [self._choice(choice) for choice in chunk.get("choices") or ()]
        if usage and self.usage is not None and self.usage["completion_tokens"]:
            self.received.forget()
        return {**self._head, "choices": choices} if choices else None

    def last_chunk(self) -> Chunk | None:
        """Return the usage chunk, if the client asked for usage and the provider reported it. It comes last."""
        if not self._include_usage or self.usage is None or self._head is None:
            return None
        return {**self._head, "choices": [], "usage": self.usage}

    def _choice(self, choice: Mapping[str, Any]) -> dict[str, Any]:
        index, text = choice["index"], choice["text"]
        self.received.pieces.append(text)
        if self._surrogates or not text.isascii():
            text = join_surrogates(self._surrogates, (index, "text"), text)
        if choice["finish_reason"]:
            self.finished = True
            if self._surrogates.pop((index, "text"), None):
                text += REPLACEMENT
        return _choice(choice, text)


def opens(chunk: Chunk, *, may_be_empty: bool) -> bool:
    """Return True where *chunk* has text that is not blank, or a finish reason that allows an empty answer."""
    return any(
        _has_content(choice) or (may_be_empty and choice["finish_reason"]) for choice in chunk["choices"]
    )


def _has_content(choice: Mapping[str, Any]) -> bool:
    return bool(choice["text"].strip()) or choice["finish_reason"] in CUT_OFF


def _head(given: Mapping[str, Any], defaults: Defaults) -> dict[str, Any]:
    made, created, model = given.get("id"), given.get("created"), given.get("model")
    head: dict[str, Any] = {
        "id": made if isinstance(made, str) and made else defaults.id,
        "object": _OBJECT,
        "created": created if type(created) is int and 0 < created < 2**53 else defaults.created,
        "model": model if isinstance(model, str) and model else defaults.model,
    }
    fingerprint = given.get("system_fingerprint")
    return {**head, "system_fingerprint": fingerprint} if isinstance(fingerprint, str) else head


def _choice(choice: Mapping[str, Any], text: str) -> dict[str, Any]:
    logprobs = choice.get("logprobs")
    return {
        "text": text,
        "index": choice["index"],
        "logprobs": logprobs if isinstance(logprobs, dict) else None,
        "finish_reason": choice["finish_reason"],
    }
