"""Turns a provider's error into the client's error, in the same way for every transport."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Evidence
from proxy.resilience.client_error import refused_key_message
from proxy.upstream.masking import MASK, mask
from proxy.upstream.wires.gemini import is_bad_key

_LONGEST_MESSAGE = 2_000

_MAX_SEARCHED = 8 * 2**10
"""Characters of a provider's message that are searched for secrets.

The limit is needed because a provider may quote a long text of the client.
"""

_LONGEST_ENCODING = 6
"""The most characters that one character of a secret may take when encoded (``\\u0041`` in JSON)."""

_LARGEST_EVIDENCE = 64 * 2**10
"""The most bytes that are kept as evidence of an error inside an answer.

Nothing of a larger payload is kept, since part of a JSON text cannot be read.
"""

_RETRY_HEADERS = {
    "retry-after": re.compile(
        r"[0-9]{1,9}(\.[0-9]{1,9})?|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"
    ),
    "retry-after-ms": re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?"),
    "x-should-retry": re.compile(r"(?i:true|false)"),
}
"""Headers that tell a client when to retry, with the values that are passed on.

Sources: RFC 9110, section 10.2.3, and OpenAI's SDK, which also reads fractions of a second. Other values are left out.
They may hold characters that are invalid in a header. aiohttp would then refuse to write the answer.
"""


def fault_of_answer(
    status: int, headers: Mapping[str, str], message: str | None, secrets: Iterable[str], body: bytes = b""
) -> UpstreamFault:
    """Return the error for an answer with *status*. *message* is the provider's message, or None if it sent none.

    The error keeps *status*, except for a 400 about a bad key. The message for a 401 or 403 says that the provider
    refused the proxy's key. Gemini's 400 for a bad key is treated as a 401, since a client would read a 400 as its own
    mistake. Of *headers*, only those that tell a client when to retry are passed on. Status, headers and *body* are
    kept as evidence.
    """
    fault = UpstreamFault(message or f"The provider answered with status {status}.", upstream_status=status)
    _complete(fault, status, headers, secrets, body)
    return fault


def complete_fault(
    fault: UpstreamFault, status: int, headers: Mapping[str, str], secrets: Iterable[str], payload: bytes
) -> None:
    """Complete *fault*, an error that was found inside an answer with *status*.

    *payload* is the body, or the event of a stream, in which the error stood. The fault is completed as in
    :func:`fault_of_answer`. The message is masked, and status, headers and payload are kept as evidence.
    """
    _complete(fault, status, headers, secrets, payload if len(payload) <= _LARGEST_EVIDENCE else b"")


def _complete(
    fault: UpstreamFault, status: int, headers: Mapping[str, str], secrets: Iterable[str], body: bytes
) -> None:
    fault.evidence = Evidence(status, {name.lower(): value for name, value in headers.items()}, body)
    if fault.upstream_status is not None:
        fault.headers |= _retry_headers(headers)
    if fault.upstream_status == 400 and is_bad_key(fault.message, body):
        fault.upstream_status = 401
    masked = _without_secrets(fault.message, secrets)
    found = fault.upstream_status
    fault.reason = masked
    fault.message = refused_key_message(found) if found in (401, 403) else masked
    fault.args = (fault.message,)


def _retry_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name: headers[name]
        for name, allowed in _RETRY_HEADERS.items()
        if name in headers and allowed.fullmatch(headers[name])
    }


def _without_secrets(message: str, secrets: Iterable[str]) -> str:
    """Return the provider's *message*, shortened and without *secrets*."""
    held = tuple(secrets)
    tail = _LONGEST_ENCODING * max(map(len, held), default=0)
    read = message[: _MAX_SEARCHED + tail]
    masked = mask(read, held)
    if len(read) < len(message):  # a secret may have been cut at the end
        masked = masked[: max(0, len(masked) - tail)] or MASK
    return masked[:_LONGEST_MESSAGE]
