"""The rows (known answers of providers) that litellm 1.105.3 changes beyond repair, each with what litellm does."""

from __future__ import annotations

_MADE_UP = "litellm makes up a stop where the stream has no finish reason"
_EMPTY = "litellm makes a stop of a stream that holds nothing"
_UNKNOWN = "litellm calls a reason that it does not know a stop"
_SECOND = "litellm loses the finish reason of all choices but one, and the index of a call"
_GEMINI_LINES = "litellm's reader for Gemini takes no line that is not data"
_MARK = "litellm loses the event behind a byte order mark"
_LENGTH = "litellm calls every end of Gemini's with a call tool_calls"
_ARGS = "litellm refuses a call of Gemini's without args"
_TOTAL = "litellm adds the total up anew"
_TYPES = "litellm drops a call, or refuses an answer, whose types are not OpenAI's"
_WHOLE = "litellm expects events and reads nothing else"
_SKIPPED = "litellm skips an event that is no JSON"

STREAMS: dict[str, str] = {
    "id that is a number": _TYPES,
    "an array as JSON": _TYPES,
    "content of parts": _TYPES,
    "counts that are none": _TYPES,
    "malformed call after a text": _UNKNOWN,
    "malformed call, its tail as text": _UNKNOWN,
    "undeclared call": _UNKNOWN,
    "no choices at all": _EMPTY,
    "nothing but the end": _EMPTY,
    "nothing at all": _EMPTY,
    "comments alone": _EMPTY,
    "error as JSON": _WHOLE,
    "whole answer in place of a stream": _WHOLE,
    "no finish reason": _MADE_UP,
    "no finish reason and no end": _MADE_UP,
    "no finish reason behind a call": _MADE_UP,
    "two choices": _SECOND,
    "two choices with calls, in one chunk": _SECOND,
    "total with the thoughts": _TOTAL,
    "framing: byte order mark": _MARK,
    "gemini: no arguments": _ARGS,
    "gemini: call cut by length": _LENGTH,
    "gemini: malformed call after a text": _UNKNOWN,
    "gemini: malformed call, its tail as text": _UNKNOWN,
    "gemini: undeclared call in the parts": _UNKNOWN,
    "gemini: unknown reason": _UNKNOWN,
    "gemini: no finish reason": _MADE_UP,
    "gemini: no finish reason behind a call": _MADE_UP,
    "gemini: two candidates": _SECOND,
    "gemini: event that is no JSON": _SKIPPED,
    "gemini, framing: byte order mark": _GEMINI_LINES,
    "gemini, framing: comments": _GEMINI_LINES,
    "gemini, framing: fields": _GEMINI_LINES,
}
"""The streamed rows, by name, with what litellm does to them."""

ANSWERS: dict[str, str] = {
    "content of parts": _TYPES,
    "counts that are none": _TYPES,
    "malformed call, its tail as text": _UNKNOWN,
    "undeclared call": _UNKNOWN,
    "no finish reason": _MADE_UP,
    "gemini: no arguments": _ARGS,
    "gemini: call cut by length": _LENGTH,
    "gemini: undeclared call in the parts": _UNKNOWN,
    "gemini: unknown reason": _UNKNOWN,
    "gemini: no finish reason": _MADE_UP,
    "gemini: no finish reason behind a call": _MADE_UP,
}
"""The rows without streaming, by name, with what litellm does to them."""
