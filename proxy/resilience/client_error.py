"""Sets the code and headers of an error that the client gets in the end.

The status is the provider's, with two exceptions. A context overflow is a 400, since clients expect the overflow's code
with that status. A refused key is a 401 or 403. The message is the provider's too. Secrets in the message were masked
earlier. Messages about a refused key are replaced, since a client would take them for words about its own key. Codes
are OpenAI's where OpenAI has one, since clients act on codes. Agents shorten their history on
``context_length_exceeded``. The headers are those that SDKs obey: ``Retry-After``, and ``x-should-retry`` where the
status alone would mislead them.
"""

from __future__ import annotations

import math
from collections.abc import Set
from http import HTTPStatus
from types import MappingProxyType

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.resilience.failure_table import Kind, Row

_CODES = MappingProxyType(
    {
        Kind.CONTEXT_OVERFLOW: "context_length_exceeded",
        Kind.CONTENT_FILTER: "content_filter",
        Kind.QUOTA_EXHAUSTED: "insufficient_quota",
        Kind.RATE_LIMITED: "rate_limit_exceeded",
    }
)
_FIELDS_OF_CODES = MappingProxyType({"previous_response_not_found": "previous_response_id"})
"""Codes of a provider that clients act on, where it was asked in their own format, with the field at fault."""

SDK_RETRIES = frozenset({408, 409, 429})
"""Statuses under 500 that OpenAI's and Anthropic's SDKs retry (openai-python 3.3.1)."""


_KEY_STATUSES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def refused_key_message(status: int) -> str:
    """Return the message for a client where the provider refused the proxy's key with *status*."""
    return f"The provider refused the proxy's key (status {status}); it is not your key that was refused."


def set_client_error(
    fault: UpstreamFault, row: Row, asked_s: float | None, codes: Set[str] = frozenset()
) -> None:
    """Set the code, status and headers of *fault*, a failure of the kind of *row*.

    *asked_s* is the delay in seconds that the provider asks for, or None. *codes* are those in the provider's error.
    """
    fault.code = _CODES.get(row.kind, fault.code)  # type: ignore[misc]  # the class has the usual one
    for code in codes & _FIELDS_OF_CODES.keys():
        fault.code = code  # type: ignore[misc]  # the class has the usual one
        fault.param = _FIELDS_OF_CODES[code]
    if row.kind is Kind.CONTEXT_OVERFLOW:
        fault.upstream_status = HTTPStatus.BAD_REQUEST
    refused = row.kind is Kind.KEY_REFUSED and fault.cause is Cause.REFUSED
    if refused and fault.upstream_status not in _KEY_STATUSES:  # xAI says it with a 400, a gateway with a 500
        fault.upstream_status = HTTPStatus.UNAUTHORIZED
        fault.message = refused_key_message(fault.http_status)
    known = {name.lower() for name in fault.headers}
    if asked_s is not None and "retry-after" not in known and row.client_may_retry:
        fault.headers["Retry-After"] = str(max(1, math.ceil(asked_s)))
    if "x-should-retry" in known:
        return
    retried = fault.http_status in SDK_RETRIES or fault.http_status >= 500
    if row.client_may_retry != retried:
        fault.headers["x-should-retry"] = "true" if row.client_may_retry else "false"
