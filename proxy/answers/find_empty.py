"""Tells if an answer has content. An answer with status 200 may be empty, or hold only reasoning.

The module reads answers that :mod:`proxy.answers.normalize` has brought into OpenAI's form. So it works for every
provider and both transports. litellm reports a malformed call, an empty candidate and an empty stream as a plain
``stop``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.failures import Cause

_CONTENT_FIELDS = ("content", "tool_calls", "audio", "function_call", "images", "refusal")
"""The fields of a message or delta that count as content, the most common fields first. A blank text does not count."""

_FILTERED = "content_filter"

CUT_OFF = frozenset({_FILTERED, "length"})
"""Finish reasons of an answer that was cut off, maybe within a call or before its first word.

A content filter or the token limit ended the answer. An empty answer is accepted where the token limit ended it, since
a retry would end the same way.
"""


def has_content(said: Mapping[str, Any]) -> bool:
    """Return True where a message or a delta holds text that is not blank, a call, a refusal or media."""
    for name in _CONTENT_FIELDS:
        value = said.get(name)
        if value and (not isinstance(value, str) or value.strip()):
            return True
    return False


def find_empty(answer: Mapping[str, Any]) -> Cause | None:
    """Return the fault of a whole answer (it is empty, was filtered, or holds only reasoning), or None."""
    choices = answer.get("choices") or []
    thought = filtered = False
    for choice in choices:
        message, reason = choice["message"], choice["finish_reason"]
        if has_content(message) or (reason in CUT_OFF and reason != _FILTERED):
            return None
        filtered = filtered or reason == _FILTERED
        thought = thought or bool(message.get("reasoning_content"))
    if filtered:
        return Cause.CONTENT_FILTER
    return Cause.THINKING_ONLY if thought else Cause.EMPTY


def is_filtered(chunk: Mapping[str, Any]) -> bool:
    """Return True where the content filter ended every choice of *chunk*, and the chunk has no content."""
    choices = chunk["choices"]
    return bool(choices) and all(
        choice["finish_reason"] == _FILTERED and not has_content(choice["delta"]) for choice in choices
    )


class AnswerStart:
    """Finds the first chunk of a stream that has content, or a finish reason of :data:`CUT_OFF`.

    The caller may hold back earlier chunks.
    """

    def __init__(self) -> None:
        self._thought = False

    def opens(self, chunk: Mapping[str, Any]) -> bool:
        """Return True where a normalized *chunk* has content, or a finish reason of :data:`CUT_OFF`."""
        for choice in chunk["choices"]:
            delta = choice["delta"]
            if choice["finish_reason"] in CUT_OFF or has_content(delta):
                return True
            self._thought = self._thought or bool(delta.get("reasoning_content"))
        return False

    @property
    def missing(self) -> Cause:
        """The cause of failure for a stream that ended before :meth:`opens` returned True."""
        return Cause.THINKING_ONLY if self._thought else Cause.EMPTY
