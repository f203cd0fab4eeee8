"""Whether a finished answer says anything: a 200 may hold nothing, or thoughts alone. Pure.

Looks at answers in OpenAI's shape, after :mod:`proxy.answers.normalize`, so that it holds for every provider and both
transports: litellm shows a malformed call, an empty candidate and an empty stream as a plain ``stop``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.failures import Cause

_SPOKEN = ("content", "tool_calls", "audio", "function_call", "images", "refusal")
"""Fields of a message or delta that answer something, the usual first; a text of white space does not."""

CUT_OFF = frozenset({"content_filter", "length"})
"""Finish reasons that cut an answer off, perhaps within a call, or before its first word: it was filtered, or the
tokens went into thoughts. They are an answer by themselves, since another try of the same would end alike."""


def says_something(said: Mapping[str, Any]) -> bool:
    """Tell whether a message or a delta holds text that is not blank, a call, a refusal or media."""
    for name in _SPOKEN:
        value = said.get(name)
        if value and (not isinstance(value, str) or value.strip()):
            return True
    return False


def find_empty(answer: Mapping[str, Any]) -> Cause | None:
    """Return what is wrong with a whole answer: :attr:`Cause.EMPTY`, :attr:`Cause.THINKING_ONLY` or None."""
    choices = answer.get("choices") or []
    thought = False
    for choice in choices:
        message = choice["message"]
        if says_something(message) or choice["finish_reason"] in CUT_OFF:
            return None
        thought = thought or bool(message.get("reasoning_content"))
    return Cause.THINKING_ONLY if thought else Cause.EMPTY


class OpeningWatch:
    """Watches a stream's first chunks for the moment from which it is an answer."""

    def __init__(self) -> None:
        self._thought = False

    def opens(self, chunk: Mapping[str, Any]) -> bool:
        """Tell whether *chunk*, a normalized one, says something, or ends the answer in a way that needs no words."""
        for choice in chunk["choices"]:
            delta = choice["delta"]
            if choice["finish_reason"] in CUT_OFF or says_something(delta):
                return True
            self._thought = self._thought or bool(delta.get("reasoning_content"))
        return False

    @property
    def missing(self) -> Cause:
        """What to call a stream that ended before it opened."""
        return Cause.THINKING_ONLY if self._thought else Cause.EMPTY
