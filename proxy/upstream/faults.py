"""A provider's refusal as the client's error, the same for every transport."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Evidence
from proxy.upstream.masking import MASK, mask
from proxy.upstream.wires.gemini import is_bad_key

_LONGEST_MESSAGE = 2_000

_MOST_MASKED = 8 * 2**10
"""Characters of a provider's words that are searched for secrets. A provider may quote a client's text in them."""

_LONGEST_SPELLING = 6
"""Characters of a spelling for each of a secret, at most: JSON's ``\\u0041``."""

_LARGEST_EVIDENCE = 64 * 2**10
"""Bytes of what came in place of an answer that are kept: an error is smaller, and half a JSON says nothing."""

_PASSED_HEADERS = {
    "retry-after": re.compile(
        r"[0-9]{1,9}(\.[0-9]{1,9})?|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"
    ),
    "retry-after-ms": re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?"),
    "x-should-retry": re.compile(r"(?i:true|false)"),
}
"""Headers that tell a client when to try again, and all that they may say (RFC 9110, section 10.2.3; OpenAI's SDK).

Seconds may have a fraction, which the SDK reads. What is none of these may hold what no header may, and would take
the whole answer with it.
"""


def fault_of_answer(
    status: int, headers: Mapping[str, str], words: str | None, secrets: Iterable[str], body: bytes = b""
) -> UpstreamFault:
    """Return the error for an answer with *status* and *body* whose own text is *words* (None: it had none).

    The status is kept; a 401 or 403 says that it is the proxy's key that was refused, and so does Gemini's 400 for
    a bad key, which would read as the client's fault. Of *headers* only those that tell a client when to try
    again are passed on. Status, headers and body as they came are kept as evidence.
    """
    fault = UpstreamFault(words or f"The provider answered with status {status}.", upstream_status=status)
    _settle(fault, status, headers, secrets, body)
    return fault


def settle_fault(
    fault: UpstreamFault, status: int, headers: Mapping[str, str], secrets: Iterable[str], payload: bytes
) -> None:
    """Make *fault*, found in an answer with *status*, one for a client and for those who decide what happens next.

    *payload* is what was being read, the body or one event of it. An error that stands there is told like one that
    is an answer of its own: it has its words masked, and status, headers and bytes as evidence.
    """
    _settle(fault, status, headers, secrets, payload if len(payload) <= _LARGEST_EVIDENCE else b"")


def _settle(
    fault: UpstreamFault, status: int, headers: Mapping[str, str], secrets: Iterable[str], body: bytes
) -> None:
    fault.evidence = Evidence(status, {name.lower(): value for name, value in headers.items()}, body)
    if fault.upstream_status is not None:
        fault.headers |= _passed(headers)
    if fault.upstream_status == 400 and is_bad_key(fault.message, body):
        fault.upstream_status = 401
    fault.message = _for_clients(fault.message, fault.upstream_status, secrets)
    fault.args = (fault.message,)


def _passed(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name: headers[name]
        for name, allowed in _PASSED_HEADERS.items()
        if name in headers and allowed.fullmatch(headers[name])
    }


def _for_clients(words: str, status: int | None, secrets: Iterable[str]) -> str:
    """Return the provider's *words* as a client may read them: whose key was refused, no secret, not a book."""
    if status in (401, 403):
        return f"The provider refused the proxy's key (status {status}); it is not your key that was refused."
    held = tuple(secrets)
    tail = _LONGEST_SPELLING * max(map(len, held), default=0)
    read = words[: _MOST_MASKED + tail]
    masked = mask(read, held)
    if len(read) < len(words):  # a secret may have been cut at the end
        masked = masked[: max(0, len(masked) - tail)] or MASK
    return masked[:_LONGEST_MESSAGE]
