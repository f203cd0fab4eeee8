"""Errors in Google's envelope, with the statuses and the details that its clients act on.

    {"error": {"code", "message", "status", "details": [{"@type": "type.googleapis.com/google.rpc.…", …}, …]}}

google-genai raises by the code, within a stream too. gemini-cli waits for the ``retryDelay`` of a ``RetryInfo``, and
for 4, 12 and 15 seconds without one (0.61.0, run in 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from proxy.core.errors import ProxyError, UpstreamFault
from proxy.core.json_text import write_json
from proxy.core.key_errors import LimitKind, RateLimited
from proxy.ingress.gemini_native.places import ContentPlaces
from proxy.ingress.overflow_numbers import OVERFLOW, count_overflow, is_of_bytes, is_overflow
from proxy.ingress.token_numbers import NO_NUMBERS, TokenNumbers

_NAMES: Mapping[int, str] = MappingProxyType(
    {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        405: "UNIMPLEMENTED",
        408: "DEADLINE_EXCEEDED",
        409: "ABORTED",
        413: "INVALID_ARGUMENT",
        415: "INVALID_ARGUMENT",
        429: "RESOURCE_EXHAUSTED",
        499: "CANCELLED",
        500: "INTERNAL",
        501: "UNIMPLEMENTED",
        502: "UNAVAILABLE",
        503: "UNAVAILABLE",
        504: "DEADLINE_EXCEEDED",
    }
)
"""Google's name of a status (google.rpc.Code, with the codes of HTTP)."""

_UNPAID, _OVERLOADED = 402, 529
_USED_UP = "insufficient_quota"
_DAILY = "PerDay"
"""A part of the ids of Google's daily quotas. Where it is there, gemini-cli asks no more (0.61.0)."""

_QUOTAS: Mapping[LimitKind, str] = MappingProxyType(
    {
        "requests": "GenerateRequestsPerMinutePerKey",
        "tokens": "GenerateTokensPerMinutePerKey",
        "parallel": "ConcurrentRequestsPerKey",
    }
)
"""The ids of limits of rate. gemini-cli waits where one holds ``PerMinute``, at most 300 seconds (0.61.0)."""

_TYPES = "type.googleapis.com/google.rpc."
_DOMAIN = "turnright"
_LONGEST_DELAY = 12
"""The most digits of a delay in seconds that is written."""

NO_PLACES = ContentPlaces()


def status_of(error: ProxyError) -> int:
    """Return the status of the answer for *error*, one of those that Google's API has."""
    if error.code == OVERFLOW:
        return int(HTTPStatus.REQUEST_ENTITY_TOO_LARGE if is_of_bytes(error) else HTTPStatus.BAD_REQUEST)
    status = error.http_status
    if status in _NAMES:
        return status
    if status == _OVERLOADED:
        return int(HTTPStatus.SERVICE_UNAVAILABLE)
    usual = HTTPStatus.BAD_REQUEST if status < HTTPStatus.INTERNAL_SERVER_ERROR else HTTPStatus.BAD_GATEWAY
    return int(usual)


def write_error(
    error: ProxyError, places: ContentPlaces = NO_PLACES, numbers: TokenNumbers = NO_NUMBERS
) -> bytes:
    """Return *error* in Google's envelope, as JSON.

    *places* gives the client's places of chat messages. *numbers* are those of an overflow that names none.
    """
    return write_json(describe_error(error, places, numbers))


def describe_error(
    error: ProxyError, places: ContentPlaces = NO_PLACES, numbers: TokenNumbers = NO_NUMBERS
) -> dict[str, Any]:
    """Return the envelope of *error*. The parameters are those of :func:`write_error`."""
    status = status_of(error)
    name = "FAILED_PRECONDITION" if error.http_status == _UNPAID else _NAMES[status]
    message = _message_of(error, places, numbers)
    details = [*_details_of(error, places, message)]
    delay = _delay_of(error)
    if delay:
        details.append({"@type": f"{_TYPES}RetryInfo", "retryDelay": f"{delay}s"})
        if status == HTTPStatus.TOO_MANY_REQUESTS and "retry in" not in message.lower():
            message = f"{message} Please retry in {delay}s."
    described = {"code": status, "message": message, "status": name, "details": details}
    return {"error": described}


def overflow_message(requested: int, limit: int) -> str:
    """Return Google's words for a prompt of *requested* tokens, where *limit* is the most."""
    return f"The input token count ({requested}) exceeds the maximum number of tokens allowed ({limit})."


def _details_of(error: ProxyError, places: ContentPlaces, message: str) -> list[dict[str, Any]]:
    details: list[dict[str, Any]] = []
    field = _field_of(error, places)
    if field is not None:
        violation = {"field": field, "description": message}
        details.append({"@type": f"{_TYPES}BadRequest", "fieldViolations": [violation]})
    reason = {"reason": error.code.upper(), "domain": _DOMAIN, "metadata": {"code": error.code}}
    details.append({"@type": f"{_TYPES}ErrorInfo", **reason})
    quota = _QUOTAS[error.kind] if isinstance(error, RateLimited) else _DAILY
    if isinstance(error, RateLimited) or error.code == _USED_UP:
        violation = {"subject": "", "description": message, "quotaId": quota}
        details.append({"@type": f"{_TYPES}QuotaFailure", "violations": [violation]})
    if error.details:
        details.append({"@type": "type.googleapis.com/google.protobuf.Struct", "value": {**error.details}})
    return details


def _delay_of(error: ProxyError) -> str:
    """Return the seconds that *error* asks the client to wait, as exact as it says, or an empty text."""
    headers = {name.lower(): value for name, value in error.headers.items()}
    precise, delay = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    if precise.isascii() and precise.isdecimal() and len(precise) <= _LONGEST_DELAY:
        return f"{int(precise) / 1000:.3f}".rstrip("0").rstrip(".")
    return delay if delay.isascii() and delay.isdecimal() and len(delay) <= _LONGEST_DELAY else ""


def _field_of(error: ProxyError, places: ContentPlaces) -> str | None:
    """Return the client's path of the field at fault, or None where no field of the request is."""
    if error.param is None or isinstance(error, UpstreamFault):
        return None
    return error.param if error.of_deployment else places.rename_param(error.param)


def _message_of(error: ProxyError, places: ContentPlaces, numbers: TokenNumbers) -> str:
    if is_overflow(error):
        found = count_overflow(error, numbers)
        return overflow_message(found.requested, found.limit)
    if isinstance(error, UpstreamFault):
        return error.message
    if isinstance(error, RateLimited):  # the wait is added in Google's words
        return error.reason
    message, field = places.rename(error.message), _field_of(error, places)
    return message if field is None or message.startswith((field, f"'{field}'")) else f"{field}: {message}"
