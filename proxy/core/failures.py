"""The facts of a failed call, from which the next step is decided. No client ever sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Cause(StrEnum):
    """The place and kind of a failure. The status alone is not enough: an empty 200 is a failure as well."""

    REFUSED = "refused"
    """The provider answered with an error. Its status and body say more."""

    NO_CREDENTIALS = "no_credentials"
    """The proxy has no credentials for the provider, or cannot get any. Nothing was sent."""

    UNREACHABLE = "unreachable"
    """No connection: refused, unknown host, or TLS failure. Nothing was sent."""

    CONNECT_TIMEOUT = "connect_timeout"
    """No connection within the timeout. Nothing was sent."""

    CONNECTION_LOST = "connection_lost"
    """The connection broke after the request was sent, or while it was being sent."""

    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    IDLE_TIMEOUT = "idle_timeout"

    DEADLINE = "deadline"
    """The request's deadline passed."""

    OVERTIME = "overtime"
    """The deployment's own ``timeout`` passed while the provider answered or the client read."""

    NOT_AN_ANSWER = "not_an_answer"
    """A 200 without a chat completion: HTML, incomplete JSON, or another shape."""

    EMPTY = "empty"
    """An answer without content: no candidate, no choice, no part, no text."""

    THINKING_ONLY = "thinking_only"
    """An answer with reasoning, but with neither text nor a tool call."""

    CONTENT_FILTER = "content_filter"
    """An answer without text or call, since the provider's content filter stopped it."""

    TRUNCATED = "truncated"
    """An answer that ends without a finish reason."""

    MALFORMED_CALL = "malformed_call"
    """The model wrote a tool call that cannot be read, such as one without a name."""

    UNEXPECTED_CALL = "unexpected_call"
    """The model called a tool that the request did not declare. The provider's finish reason says so."""

    INVALID_ARGUMENTS = "invalid_arguments"
    """A tool call whose arguments are not a JSON object, or do not fit the tool's schema."""

    UNDECLARED_CALL = "undeclared_call"
    """The model called a tool that the request did not declare. The proxy found it."""

    CONVERSION = "conversion"
    """The request could not be converted for this model. Nothing was sent."""

    ODD_END = "odd_end"
    """The provider sent a finish reason that does not mean the end of an answer."""


_BYTES_PER_ERROR_BYTE = 32
"""Reading one byte of an error takes as long as parsing this many bytes of a usual request body."""


def error_weight(body: bytes) -> int:
    """Return the cost of reading an error's *body*, as a number of bytes of a usual body.

    The body is parsed, errors nested in it are unwrapped, and it is searched for all known provider texts. An error of
    16 KiB takes up to 30 ms, so it is read in a worker thread (:func:`proxy.core.offload.run_offloaded`).
    """
    return _BYTES_PER_ERROR_BYTE * len(body)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The provider's answer to a failed call: its status, its headers (names in lower case), and the error's bytes."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
