"""Reads Google's errors: their message, and the status of an error inside a 200."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.gemini.counts import read_count

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
_MAX_WRAPPINGS = 8

_BAD_KEY_WORDS = "api key"
_BAD_KEY_REASON = "API_KEY_INVALID"


def read_error(status: int, body: bytes) -> str | None:
    """Return Google's message from an error's body, or None if it is no JSON or has no message.

    The message stands in an object, in an array around it (helix#1835), or as JSON inside another message. Each proxy
    on the way may wrap the message once more (continue#9575). An error with a status name and no message gives the name
    and *status*.
    """
    try:
        value: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return _words_of(_layers(value)[-1], status)


def raise_error(value: Any) -> None:
    """Raise :class:`UpstreamFault` if *value* is an error in place of an answer, however it is wrapped.

    The message is that of the innermost layer. The status is that of the innermost layer with a status.
    """
    found = next((one for one in (value if isinstance(value, list) else [value]) if _is_error(one)), None)
    if found is None:
        return
    layers = _layers(found)
    status = next(filter(None, map(_status_of, reversed(layers))), None)
    words = _words_of(layers[-1], status) or "The provider sent an error in place of an answer."
    raise UpstreamFault(words, upstream_status=status)


def is_bad_key(words: str, body: bytes) -> bool:
    """Tell whether a 400 with the message *words* in *body* is about the key. Google sends no 401 for a bad key.

    Google's messages are "API key not valid. …", "API key expired. …" and "API Key not found. …". The details of these
    errors share one reason (googleapis ``google/api/error_reason.proto``).
    """
    if words[: len(_BAD_KEY_WORDS)].lower() == _BAD_KEY_WORDS:
        return True
    if _BAD_KEY_REASON.encode() not in body:
        return False
    try:
        layers = _layers(orjson.loads(body))
    except orjson.JSONDecodeError:
        return False
    return any(_BAD_KEY_REASON in _reasons_of(layer) for layer in layers)


def _reasons_of(layer: Any) -> list[Any]:
    details = layer.get("details") if isinstance(layer, Mapping) else None
    if not isinstance(details, list):
        return []
    return [detail.get("reason") for detail in details if isinstance(detail, Mapping)]


def _is_error(value: Any) -> bool:
    """Tell whether *value* is an error: under the key ``error``, or Google's ``Status`` itself."""
    if not isinstance(value, Mapping):
        return False
    is_status = isinstance(value.get("message"), str) and ("code" in value or "status" in value)
    return value.get("error") is not None or (is_status and "candidates" not in value)


def _words_of(error: Any, status: int | None) -> str | None:
    if isinstance(error, str):
        return error or None
    if not isinstance(error, Mapping):
        return None
    message, name = error.get("message"), error.get("status")
    if isinstance(message, str) and message:
        return message
    if not isinstance(name, str) or not name:
        return None
    return name if status is None else f"{name} (status {status})"


def _status_of(layer: Any) -> int | None:
    if not isinstance(layer, Mapping):
        return None
    code, name = read_count(layer.get("code")), layer.get("status")
    if code is not None and 400 <= code < 600:
        return code
    return _STATUSES.get(name) if isinstance(name, str) else None


def _layers(value: Any) -> list[Any]:
    """Return *value* and each layer inside it, down to the error: arrays, ``error`` keys and JSON in messages."""
    layers = [value]
    while len(layers) <= _MAX_WRAPPINGS and (inner := _unwrapped(layers[-1])) is not None:
        layers.append(inner)
    return layers


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
