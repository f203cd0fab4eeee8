"""Anthropic's error shape: `{"type": "error", "error": {"type", "message"}, "request_id"}`.

The types by status are those of docs.anthropic.com/en/api/errors. The status 529 is Anthropic's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

TYPES = MappingProxyType(
    {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        409: "conflict_error",
        413: "request_too_large",
        429: "rate_limit_error",
        500: "api_error",
        504: "timeout_error",
        529: "overloaded_error",
    }
)
REQUEST_ID = "req_011CEmulated"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Anthropic's error for a request that it refuses."""

    message: str
    status: int = 400
    type: str | None = None

    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        kind = self.type or TYPES.get(self.status, "api_error")
        error = {"type": kind, "message": self.message}
        return {"type": "error", "error": error, "request_id": REQUEST_ID}

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer."""
        return {"request-id": REQUEST_ID}
