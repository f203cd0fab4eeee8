"""The errors of stored responses and conversations."""

from __future__ import annotations

from http import HTTPStatus

from proxy.core.errors import ContextTooLong, ProxyError

RETRY_AFTER_S = 2
"""Seconds after which a client should try again. A store that is well again is used after two seconds at most."""


class SessionsUnavailable(ProxyError):
    """The store cannot be asked, so a stored response or conversation cannot be had. Nothing was sent.

    A request that names a conversation gets this error in place of an answer without its history.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "sessions_unavailable"
    retryable = True

    def __init__(
        self, message: str = "The stored responses and conversations cannot be read now. Try again soon."
    ):
        super().__init__(message, headers={"retry-after": str(RETRY_AFTER_S)})


class HistoryTooLong(ContextTooLong):
    """A stored history is larger than a request may be (``general_settings.max_body_mib``)."""

    def __init__(self, max_bytes: int, param: str | None = None):
        super().__init__(
            f"The stored history is longer than {max_bytes:,} bytes or has too many responses. Begin a new "
            "conversation. The operator can set `sessions.turns`, which keeps the newest turns alone.",
            param=param,
        )
