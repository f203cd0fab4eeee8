"""An error's body as the JSON objects and texts in it, however deep they are wrapped. Pure.

Errors are passed on by one proxy after the other, and each wraps them anew: an array around the object (Gemini's
OpenAI endpoint, helix#1835), an object whose message is JSON again (continue#9575), a text with a prefix before the
JSON ("litellm.RateLimitError: GeminiException - {...}"), the ``repr`` of a Python bytes object.

Only what a provider says is read, by the names of its fields. Some quote the request (FastAPI's ``input``, vLLM), and
a user who writes "rate limit exceeded" must not be taken for the provider.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

_MOST_VALUES = 400
"""Values that are looked at, at most: a body may be large, and its words stand near the top."""

_LONGEST_TEXT = 65_536
"""Characters of a text that are searched for JSON, at most."""


_WORDS = frozenset(
    {
        "body",
        "description",
        "detail",
        "error",
        "error_description",
        "error_message",
        "error_msg",
        "errors",
        "message",
    }
    | {"msg", "raw", "response", "title"}
)
"""Fields whose text is the provider's."""

_QUOTES = frozenset(
    {"content", "contents", "ctx", "input", "loc", "messages", "prompt", "request", "tools", "url"}
)
"""Fields that hold pieces of the request."""


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """What an error's body holds, from the outside in."""

    objects: tuple[Mapping[str, Any], ...]
    texts: tuple[str, ...]
    """The provider's words, and the whole body where it is no JSON."""


def unwrap_error(body: bytes) -> Unwrapped:
    """Return the objects and texts in *body*; both empty for an empty one. Never raises."""
    objects: list[Mapping[str, Any]] = []
    texts: list[str] = []
    queue: deque[Any] = deque([body.decode("utf-8", "replace")])
    looked = 0
    while queue and looked < _MOST_VALUES:
        value = queue.popleft()
        looked += 1
        if isinstance(value, str):
            inner, rest = _json_in(value)
            if inner is not None:
                queue.append(inner)
            if rest.strip():
                texts.append(rest)
        elif isinstance(value, Mapping):
            objects.append(value)
            queue.extend(
                inner
                for name, inner in value.items()
                if name not in _QUOTES and (name in _WORDS or not isinstance(inner, str))
            )
        elif isinstance(value, list):
            queue.extend(value)
    return Unwrapped(tuple(objects), tuple(texts))


def _json_in(text: str) -> tuple[Any, str]:
    """Return the JSON object or array that *text* holds at its end, if any, and what is not part of it."""
    for start in _openings(text):
        candidate = text[start:]
        value = _parsed(candidate)
        if value is None and candidate[-1:] in "'\"":  # the end of a bytes object's repr
            value = _parsed(_unescaped(text[start - 1 : start] + candidate))
        if value is not None:
            return value, text[:start]
    return None, text


def _openings(text: str) -> Iterator[int]:
    """Yield the first places where JSON may begin: more than a few are a text that merely holds brackets."""
    places = sorted(at for sign in "{[" if (at := text.find(sign, 0, _LONGEST_TEXT)) >= 0)
    yield from places


def _parsed(text: str) -> Any:
    try:
        value = orjson.loads(text.strip())
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict | list) else None


def _unescaped(text: str) -> str:
    try:
        value = ast.literal_eval("b" + text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
