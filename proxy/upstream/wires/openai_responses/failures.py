"""Raises the error that a failed response or an event of a stream carries."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause

NO_RESPONSE = "The provider answered with something that is not a response."
BROKEN_OFF = "The provider's answer broke off before it was complete."

_STATUSES: Mapping[str, int] = MappingProxyType(
    {
        "bio_policy": 400,
        "content_policy_violation": 400,
        "context_length_exceeded": 400,
        "cyber_policy": 400,
        "insufficient_quota": 429,
        "invalid_api_key": 401,
        "invalid_encrypted_content": 400,
        "invalid_prompt": 400,
        "model_not_found": 404,
        "rate_limit_exceeded": 429,
        "server_error": 500,
        "server_is_overloaded": 503,
        "slow_down": 503,
        "vector_store_timeout": 504,
    }
)
"""The status for an error's code, which stands in an answer with the status 200 (openai-python 3.54, codex 0.169)."""

_OF_IMAGES = ("empty_image", "failed_to_download_image", "image_", "invalid_base64_image", "invalid_image")
"""Beginnings of the codes for an image in the request that could not be read."""


def refuse_response() -> NoReturn:
    """Raise :class:`UpstreamFault` for a body that is no response."""
    raise UpstreamFault(NO_RESPONSE)


def refuse_silence(*, has_thought: bool) -> NoReturn:
    """Raise :class:`AnswerUnusable` for a response without words and calls. *has_thought* says that it has thoughts."""
    cause = Cause.THINKING_ONLY if has_thought else Cause.EMPTY
    raise AnswerUnusable("The model's answer says nothing.", cause=cause)


def raise_broken_off() -> NoReturn:
    """Raise :class:`UpstreamFault` for a response that has no end."""
    raise UpstreamFault(BROKEN_OFF, cause=Cause.TRUNCATED)


def raise_failure(error: Any) -> NoReturn:
    """Raise the *error* of a failed response, or of an ``error`` event, with the status that its code means."""
    fields: Mapping[str, Any] = error if isinstance(error, dict) else {}
    message, code = fields.get("message"), fields.get("code")
    text = message if isinstance(message, str) and message else "The provider's answer carried an error."
    raise UpstreamFault(text, upstream_status=_status_of(code))


def _status_of(code: Any) -> int:
    if type(code) is int and 400 <= code < 600:
        return code
    name = code if isinstance(code, str) else ""
    return 400 if name.startswith(_OF_IMAGES) else _STATUSES.get(name, 500)
