"""Reads errors of servers that speak OpenAI's wire: their message, and the status of an error inside a 200.

The envelopes are ``{"error": {"message", "type", "code"}}``, ``{"error": "text"}``, ``{"message"}``, ``{"detail"}``
and older vLLM's ``{"object": "error"}``. Mistral's message, and FastAPI's detail, may hold pydantic's list of errors
(``{"message": {"detail": [{"loc", "msg"}]}}``, eca#231). An array may stand around any of them (Gemini's OpenAI
endpoint: helix#1835, autogen#5762).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from proxy.core.error_place import place_of
from proxy.core.errors import UpstreamFault

_STATUSES = MappingProxyType(
    {
        name: status
        for status, names in {
            400: "bad_request badrequesterror context_length_exceeded failed_precondition invalid_argument "
            "invalid_request_error",
            401: "authentication_error authenticationerror invalid_api_key unauthenticated",
            402: "billing_error insufficient_balance",
            403: "forbidden permission_denied permission_error permissiondeniederror",
            404: "model_not_found not_found not_found_error notfounderror",
            413: "request_too_large",
            429: "insufficient_quota rate_limit rate_limit_error rate_limit_exceeded ratelimiterror requests "
            "resource_exhausted tokens too_many_requests",
            500: "api_error internal internal_error internal_server_error internalservererror server_error",
            503: "overloaded overloaded_error service_unavailable unavailable",
            504: "deadline_exceeded timeout timeout_error",
        }.items()
        for name in names.split()
    }
)
"""The status for an error's code, type or Google status name, used if the error holds no status number.

The names are OpenAI's (error codes guide), Anthropic's (``…_error``, from its compatible endpoint), Google's
(google.rpc.Code) and vLLM's (``BadRequestError``), in lower case. Anthropic's overload has the status 529, which HTTP
does not define. The table maps it to 503.
"""


_MINIMAX: Mapping[int, int] = MappingProxyType({1001: 504, 1002: 429, 1004: 401, 1008: 402, 2013: 400})
"""The status for a code in MiniMax's ``base_resp`` (platform.minimax.io, "Error Codes"; modelscope#1691)."""

_MAX_DETAILS = 5
"""The most errors of a list that a client is told."""


def read_error(body: bytes) -> str | None:
    """Return the provider's message from an error's body, in any envelope.

    The result is None for invalid JSON, or if there is no message.
    """
    try:
        value: Any = orjson.loads(body.removeprefix(b"data:"))  # NVIDIA's errors begin so (litellm#4558)
    except orjson.JSONDecodeError:
        return None
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    candidates = [
        _with_reason(error) if isinstance(error, dict) else error,
        value.get("message"),
        value.get("detail"),
    ]
    return next((text for text in map(_text_of, candidates) if text), None)


def _with_reason(error: dict[str, Any]) -> Any:
    """Return the message of *error*, with the reason of the provider behind OpenRouter.

    OpenRouter's own message is only "Provider returned error" (open-webui/computer#293, go-openrouter#21).
    """
    message, behind = error.get("message"), error.get("metadata")
    raw = behind.get("raw") if isinstance(behind, dict) else None
    if not isinstance(message, str) or not isinstance(raw, str) or not raw.strip():
        return message
    return f"{message}: {read_error(raw.encode('utf-8', 'replace')) or raw}"


def _text_of(said: Any) -> str | None:
    """Return an error's words: a text, or the list of errors that pydantic makes, each with its place."""
    if isinstance(said, str):
        return said
    if isinstance(said, dict):
        said = said.get("detail")
        if isinstance(said, str):
            return said
    if not isinstance(said, list):
        return None
    texts = [_with_place(one) for one in said[:_MAX_DETAILS] if isinstance(one, dict)]
    return "; ".join(text for text in texts if text)


def _with_place(detail: dict[str, Any]) -> str:
    words, place = detail.get("msg"), place_of(detail.get("loc"))
    if not isinstance(words, str):
        return ""
    return f"{words} ({place})" if place else words


def raise_error(value: Any) -> None:
    """Raise the error that a 200 or an event carries, with its status if it has one.

    An empty ``error`` in a value with choices is no error, since some servers write all of their fields. MiniMax writes
    errors into ``base_resp``, which has the code 0 otherwise.
    """
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, dict) and "error" in one), None)
    if not isinstance(value, dict):
        return
    error = value.get("error")
    refusal = value.get("base_resp")
    if error is None and isinstance(refusal, dict) and refusal.get("status_code"):
        code, words = refusal["status_code"], refusal.get("status_msg")
        error = {"message": words, "code": _MINIMAX.get(code) if isinstance(code, int) else None}
    if value.get("object") == "error" or (error is None and "choices" not in value and _is_bare(value)):
        error = value
    if error is None or (not error and isinstance(value.get("choices"), list)):
        return
    fields: dict[str, Any] = error if isinstance(error, dict) else {"message": error}
    message = _with_reason(fields)
    text = message if isinstance(message, str) and message else "The provider's answer carried an error."
    raise UpstreamFault(text, upstream_status=_status_of(fields))


def _is_bare(value: dict[str, Any]) -> bool:
    """Tell an error without an envelope from a chunk without choices."""
    return isinstance(value.get("message"), str) and _status_of(value) is not None


def _status_of(error: dict[str, Any]) -> int | None:
    """Return the status that an error names. A number takes precedence over a name, and the code over the type."""
    given = [error.get(name) for name in ("code", "status", "status_code", "type")]
    numbers = [
        int(one) if isinstance(one, str) and one.isdecimal() and len(one) == 3 else one for one in given
    ]
    for one in numbers:
        if type(one) is int and 400 <= one < 600:
            return one
    names = [_STATUSES.get(one.lower()) for one in given if isinstance(one, str)]
    return next((status for status in names if status is not None), None)
