"""Errors in Anthropic's envelope, with the words and the statuses that its clients act on.

    {"type": "error", "error": {"type", "message", "details"}, "request_id"}

Claude Code shortens a conversation on ``prompt is too long`` alone: other providers' words would end the session. It
shows ``model:`` errors as a wrong model, and it removes the block that a path ``messages.N.content.M`` names (2.1.197,
run in 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from proxy.core.errors import ContextTooLong, CredentialsMissing, ProxyError, UpstreamFault
from proxy.core.json_text import write_json
from proxy.ingress.anthropic_messages.message_places import MessagePlaces
from proxy.ingress.overflow_numbers import OVERFLOW, count_overflow, is_of_bytes, is_overflow
from proxy.ingress.token_numbers import NO_NUMBERS, TokenNumbers
from proxy.resilience.read_overflow import Overflow, read_overflow

OVERLOADED = 529
"""Anthropic's own status for a provider that is busy. Its SDKs have a class of their own for it."""

REQUEST_ID = "request-id"
"""The header with the request's id, as Anthropic names it. SDKs read the id there."""

_TYPES: Mapping[int, str] = MappingProxyType(
    {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        408: "timeout_error",
        409: "conflict_error",
        413: "request_too_large",
        429: "rate_limit_error",
        504: "timeout_error",
        OVERLOADED: "overloaded_error",
    }
)
"""The type of an error by its status (Anthropic's API reference, 2026-11)."""

_UNSET = frozenset({"credentials_missing", "model_unavailable"})
"""Codes of a 503 that lasts until the operator changes the configuration."""

_KEPT = frozenset({405, 406, 411, 415, 417, 421, 426, 451, *_TYPES})
"""Statuses under 500 that say more than 400 does. A 422 is none: clients of Anthropic do not expect it."""


_WITH_OUTPUT = re.compile(r"exceed context limit: [\d,]{1,14} \+ (\d[\d,]{0,13}) >")
"""Anthropic's words for a prompt and a limit of its answer that are too long together."""


NO_PLACES = MessagePlaces()


def status_of(error: ProxyError) -> int:
    """Return the status of the answer for *error*.

    A provider's 503 is Anthropic's 529. The proxy's own 503 stays: Claude Code tries ten times on it, and three times
    within two seconds on 529.
    """
    status = error.http_status
    if error.code == OVERFLOW:
        return int(HTTPStatus.REQUEST_ENTITY_TOO_LARGE if is_of_bytes(error) else HTTPStatus.BAD_REQUEST)
    if status == HTTPStatus.SERVICE_UNAVAILABLE and _is_of_provider(error):
        return OVERLOADED
    if status < HTTPStatus.INTERNAL_SERVER_ERROR and status not in _KEPT:
        return int(HTTPStatus.BAD_REQUEST)
    return status


def error_headers(error: ProxyError, request_id: str) -> dict[str, str]:
    """Return the headers of the answer for *error* that Anthropic's clients read, beside the error's own."""
    headers = {REQUEST_ID: request_id}
    if error.code in _UNSET:
        headers["x-should-retry"] = "false"
    return headers


def write_error(
    error: ProxyError,
    request_id: str = "",
    places: MessagePlaces = NO_PLACES,
    numbers: TokenNumbers = NO_NUMBERS,
) -> bytes:
    """Return *error* in Anthropic's envelope, as JSON.

    *places* gives the client's places of chat messages. *numbers* are those of an overflow that names none.
    """
    return write_json(describe_error(error, request_id, places, numbers))


def describe_error(
    error: ProxyError,
    request_id: str = "",
    places: MessagePlaces = NO_PLACES,
    numbers: TokenNumbers = NO_NUMBERS,
) -> dict[str, Any]:
    """Return the envelope of *error*. The parameters are those of :func:`write_error`."""
    status = status_of(error)
    usual = "api_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    described = {
        "type": _TYPES.get(status, usual),
        "message": _message_of(error, places, numbers),
        "details": {"error_code": error.code, **error.details},
    }
    return {"type": "error", "error": described, "request_id": request_id or None}


def overflow_message(requested: int, limit: int) -> str:
    """Return Anthropic's words for a prompt of *requested* tokens, where *limit* is the most."""
    return f"prompt is too long: {requested} tokens > {limit} maximum"


def _message_of(error: ProxyError, places: MessagePlaces, numbers: TokenNumbers) -> str:
    if is_overflow(error):
        return _say_overflow(error, numbers)
    message = error.message if isinstance(error, UpstreamFault) else places.rename(error.message)
    if error.param is None or isinstance(error, UpstreamFault):
        return message
    place = error.param if error.of_deployment else places.rename_param(error.param)
    return message if message.startswith(place) else f"{place}: {message}"


def _say_overflow(error: ProxyError, numbers: TokenNumbers) -> str:
    said = None if isinstance(error, ContextTooLong) else read_overflow([error.message], ())
    if said is not None and not said.of_bytes:
        words = _say_output_too_long(said, error.message)
        if words is not None:
            return words
    found = count_overflow(error, numbers)
    return overflow_message(found.requested, found.limit)


def _say_output_too_long(said: Overflow, text: str) -> str | None:
    """Return Anthropic's words for a prompt that fits without its answer, or None for any other overflow.

    Claude Code asks for a shorter answer on these words. *text* is the provider's error.
    """
    prompt, output, limit = said.requested, said.output, said.limit
    if prompt is None or limit is None:
        return None
    if said.with_output and output is not None:
        prompt -= output
    elif not said.with_output and (found := _WITH_OUTPUT.search(text)) is not None:
        output = _digits(found[1])
    if output is None or not 0 <= prompt <= limit:
        return None
    return f"input length and `max_tokens` exceed context limit: {prompt} + {output} > {limit}"


def _digits(text: str) -> int:
    return int(text.replace(",", ""))


def _is_of_provider(error: ProxyError) -> bool:
    return isinstance(error, UpstreamFault) and not isinstance(error, CredentialsMissing)
