"""Google's errors: its words, and the status of an error that comes inside a 200."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from proxy.errors import UpstreamFault

_STATUSES = MappingProxyType(
    {
        "ABORTED": 409,
        "CANCELLED": 499,
        "DEADLINE_EXCEEDED": 504,
        "FAILED_PRECONDITION": 400,
        "INTERNAL": 500,
        "INVALID_ARGUMENT": 400,
        "NOT_FOUND": 404,
        "PERMISSION_DENIED": 403,
        "RESOURCE_EXHAUSTED": 429,
        "UNAUTHENTICATED": 401,
        "UNAVAILABLE": 503,
    }
)
_MOST_WRAPPINGS = 8


def read_error(status: int, body: bytes) -> str | None:
    """Return Google's own words out of an error's body; None when it is no JSON or has no words.

    They stand in an object, in an array around it (helix#1835), or as JSON inside the message, once for each proxy
    on the way (continue#9575). An error with a name and no message gives the name and *status*.
    """
    try:
        value: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    error = _innermost(value)
    if isinstance(error, str):
        return error or None
    if not isinstance(error, Mapping):
        return None
    message = error.get("message")
    if isinstance(message, str) and message:
        return message
    name = error.get("status")
    return f"{name} (status {status})" if isinstance(name, str) and name else None


def raise_error(value: Any) -> None:
    """Raise :class:`UpstreamFault`, with its status, when *value* is an error object in place of an answer."""
    if not isinstance(value, Mapping) or value.get("error") is None:
        return
    error = _innermost(value)
    words, status = error if isinstance(error, str) else None, None
    if isinstance(error, Mapping):
        words, status = error.get("message"), error.get("code")
        if not isinstance(status, int):
            status = _STATUSES.get(str(error.get("status")))
    known = status if status is not None and 400 <= status < 600 else None
    text = words if isinstance(words, str) and words else "The provider sent an error in place of an answer."
    raise UpstreamFault(text, upstream_status=known)


def _innermost(value: Any) -> Any:
    """Return the error object, or the text, at the bottom of arrays, ``error`` keys and JSON in messages."""
    for _ in range(_MOST_WRAPPINGS):
        inner = _unwrapped(value)
        if inner is None:
            break
        value = inner
    return value


def _unwrapped(value: Any) -> Any:
    if isinstance(value, list):
        return value[0] if value else None
    if not isinstance(value, Mapping):
        return None
    if value.get("error") is not None:
        return value["error"]
    message = value.get("message")
    if isinstance(message, str) and message.lstrip()[:1] in ("{", "["):
        try:
            inner = orjson.loads(message)
        except orjson.JSONDecodeError:
            return None
        is_error = isinstance(inner, Mapping) and ("error" in inner or "message" in inner)
        return inner if is_error or isinstance(inner, list) else None
    return None
