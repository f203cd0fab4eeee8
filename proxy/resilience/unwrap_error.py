"""Finds the JSON objects and texts in an error's body, at any depth of wrapping.

Each proxy on the way wraps an error anew. The wrapper may be an array around the object (Gemini's OpenAI endpoint,
helix#1835), or an object whose message is JSON (continue#9575). It may be a text with a prefix before the JSON
("litellm.RateLimitError: GeminiException - {...}"), or the ``repr`` of a Python bytes object.

JSON after any other words is not taken for an error. Providers quote refused text in their sentences. If a client sends
``{"code": 401}``, the deployment's key must not be taken for a bad one.

Texts are read only from fields that are known by name to hold the provider's words. Some fields quote the request
(FastAPI's ``input``, vLLM). A user who writes "rate limit exceeded" must not be taken for the provider. The place of a
fault (pydantic's ``loc``) is read as a path of fields.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Mapping
from enum import IntEnum
from itertools import islice
from typing import Any, NamedTuple

import orjson

from proxy.core.error_place import place_of

_MAX_VALUES = 400
"""The most values that are read. A body may be large, and the provider's words stand near the top."""

_LONGEST_PREFIX = 300
"""The longest prefix before the JSON in a text, in characters."""

_PREFIX = re.compile(
    r"\s*(?:[\w.]*(?:Error|Exception)(?:\s+[\w.]*(?:Error|Exception))*\s*[:-]\s*)*"
    r"(?:Error code: \d{3} - )?(?P<repr>b?['\"])?"
)
"""The prefix of an error that was made a text: the names of exceptions, and the quote of a ``repr``."""

_BYTES = re.compile(r"""(['"])(?:(?!\1)[^\\\n]|\\.)*\1""", re.DOTALL)
"""One literal of bytes without its ``b``. Joined or added literals are not a ``repr``, and take long to evaluate."""

_BRACKET = re.compile(r"[{\[]")

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

_ENVELOPE = frozenset({"error", "errors", "message"})
"""Fields that hold the provider's error itself."""

_DETAILS = frozenset({"cause", "detail", "details", "innererror", "metadata", "raw", "violations"})
"""Fields that hold objects about the error. Other fields may hold the request, as FastAPI's ``body`` does."""

_QUOTES = frozenset(
    {"content", "contents", "ctx", "input", "loc", "messages", "prompt", "request", "tools", "url"}
)
"""Fields that hold pieces of the request."""


class Place(IntEnum):
    """The place of an object in an error. The higher the value, the less certainly the object is the provider's."""

    BODY = 0
    """The body, or the error object that it holds."""

    DETAIL = 1
    """A field that holds objects about the error, or the JSON of a body that begins with a prefix."""

    TEXT = 2
    """A text within the body, which may be a quotation."""

    FIELD = 3
    """A field that may hold the request."""


class ErrorObject(NamedTuple):
    """An object in an error's body."""

    value: Mapping[str, Any]
    place: Place
    source: str = ""
    """The text that the object was parsed from.

    Empty if the object was not parsed from a text, since the whole body is JSON.
    """


class Unwrapped(NamedTuple):
    """The contents of an error's body, from the outside in."""

    objects: tuple[ErrorObject, ...]
    texts: tuple[str, ...]
    """The provider's words, and the whole body where it is not JSON."""


def unwrap_error(body: bytes) -> Unwrapped:
    """Return the objects and texts in *body*, both empty for an empty body. Never raises."""
    objects: list[ErrorObject] = []
    texts: list[str] = []
    whole = body.decode("utf-8", "replace")
    queue: deque[tuple[Any, Place, str]] = deque([(whole, Place.BODY, "")])
    looked = 0
    while queue and looked < _MAX_VALUES:
        value, place, source = queue.popleft()
        looked += 1
        if isinstance(value, str):
            inner, rest = _json_in(value)
            if inner is not None and value is whole:
                queue.append((inner, *((Place.DETAIL, value) if rest.strip() else (Place.BODY, ""))))
            elif inner is not None:
                queue.append((inner, max(place, Place.TEXT), value))
            if rest.strip():
                texts.append(rest)
        elif isinstance(value, Mapping):
            objects.append(ErrorObject(value, place, source))
            if "msg" in value and (loc := place_of(value.get("loc"))):
                texts.append(f"at {loc}")
            fields = (
                (inner, max(place, _place_of(name)), source)
                for name, inner in value.items()
                if name not in _QUOTES and (name in _WORDS or not isinstance(inner, str))
            )
            queue.extend(islice(fields, _MAX_VALUES - looked))
        elif isinstance(value, list):
            queue.extend((inner, place, source) for inner in value[: _MAX_VALUES - looked])
    return Unwrapped(tuple(objects), tuple(texts))


def _place_of(name: str) -> Place:
    if name in _ENVELOPE:
        return Place.BODY
    return Place.DETAIL if name in _DETAILS else Place.FIELD


def _json_in(text: str) -> tuple[Any, str]:
    """Return the JSON object or array after the prefix of *text*, if any, and the rest of the text."""
    bracket = _BRACKET.search(text, 0, _LONGEST_PREFIX)
    if bracket is None:
        return None, text
    before = text[: bracket.start()]
    prefix = _PREFIX.fullmatch(before)
    if prefix is None:
        return None, text
    said = prefix["repr"]
    value = _parsed(_unescaped(text[len(before) - 1 :]) if said else text[len(before) :])
    return (None, text) if value is None else (value, before.removesuffix(said or ""))


def _parsed(text: str) -> Any:
    try:
        value = orjson.loads(text.strip())
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict | list) else None


def _unescaped(text: str) -> str:
    """Return the content of the bytes literal *text*, which lacks its ``b``. Empty for other texts."""
    text = text.rstrip()
    if _BYTES.fullmatch(text) is None:
        return ""
    try:
        value = ast.literal_eval("b" + text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
