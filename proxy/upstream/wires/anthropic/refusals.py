"""Reads Anthropic's errors: their message, and the status of an error inside a 200.

The envelope is ``{"type": "error", "error": {"type", "message"}, "request_id"}``. Other servers with this API also send
``{"error": "text"}``, ``{"message"}``, ``{"msg"}`` and ``{"detail"}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

import orjson

from proxy.core.errors import UpstreamFault

NO_MESSAGE = "The provider answered with something that is not a message."

_STATUSES: Mapping[str, int] = MappingProxyType(
    {
        "api_error": 500,
        "authentication_error": 401,
        "billing_error": 402,
        "conflict_error": 409,
        "invalid_request_error": 400,
        "not_found_error": 404,
        "overloaded_error": 529,
        "permission_error": 403,
        "rate_limit_error": 429,
        "request_too_large": 413,
        "timeout_error": 504,
    }
)
"""The status for an error's type (docs.anthropic.com/en/api/errors). An error in a stream has no other status."""


def read_error(body: bytes) -> str | None:
    """Return the provider's message from the *body* of an error, or None where there is none."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return _message_of(value)


def raise_error(value: Any) -> None:
    """Raise the error in *value*, a body or an event, with its status if it names one. Return for anything else."""
    if not isinstance(value, dict) or (value.get("type") != "error" and not value.get("error")):
        return
    error = value.get("error")
    kind = error.get("type") if isinstance(error, dict) else None
    status = _STATUSES.get(kind) if isinstance(kind, str) else None
    raise UpstreamFault(
        _message_of(value) or "The provider's answer carried an error.", upstream_status=status
    )


def refuse_message() -> NoReturn:
    """Raise :class:`UpstreamFault` for a body or an event that is no message."""
    raise UpstreamFault(NO_MESSAGE)


def _message_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    candidates = (inner, value.get("message"), value.get("msg"), value.get("detail"))
    return next((text for text in candidates if isinstance(text, str) and text), None)
