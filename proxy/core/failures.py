"""What is known of a failed call, for those who decide what happens next; no client ever sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Cause(StrEnum):
    """Where and how a call failed. A status alone does not tell: an empty 200 is a failure as well."""

    REFUSED = "refused"
    """The provider answered with an error; its status and body say the rest."""

    UNREACHABLE = "unreachable"
    """No connection: refused, no such host, TLS. Nothing was sent."""

    CONNECT_TIMEOUT = "connect_timeout"
    """No connection in time. Nothing was sent."""

    CONNECTION_LOST = "connection_lost"
    """The connection broke after the request had been sent, or while it was."""

    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    IDLE_TIMEOUT = "idle_timeout"

    DEADLINE = "deadline"
    """The request's total time is used up."""

    OVERTIME = "overtime"
    """The entry's own ``timeout`` is used up, while the provider answered or the client read."""

    NOT_AN_ANSWER = "not_an_answer"
    """A 200 that holds no chat completion: HTML, half a JSON, another shape."""

    EMPTY = "empty"
    """An answer that says nothing: no candidate, no choice, no part, no text."""

    THINKING_ONLY = "thinking_only"
    """An answer that holds thoughts, and neither text nor a call."""

    TRUNCATED = "truncated"
    """An answer that ends without saying how it ended."""

    MALFORMED_CALL = "malformed_call"
    """The model wrote a tool call that the provider could not read."""

    UNEXPECTED_CALL = "unexpected_call"
    """The model called a tool that the request did not declare."""

    INVALID_ARGUMENTS = "invalid_arguments"
    """A tool call whose arguments are no JSON object, or do not fit the tool's schema."""

    UNDECLARED_CALL = "undeclared_call"
    """The answer calls a tool that the request did not declare; we say so, not the provider."""

    CONVERSION = "conversion"
    """The request could not be made into one that this model takes. Nothing was sent."""

    ODD_END = "odd_end"
    """The provider named a finish reason that is no end of an answer."""


_READ_AS = 32
"""Bytes of a usual body that take as long to parse as one byte of an error takes to be understood: 3 us of 64."""


def error_weight(body: bytes) -> int:
    """Return what it costs to understand an error's *body*, as the bytes of a usual body.

    It is parsed, unwrapped, and searched for each text that providers are known for. An error of 16 KiB takes up to
    30 ms, and is therefore read in a worker thread (:func:`proxy.core.offload.run_offloaded`).
    """
    return _READ_AS * len(body)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the provider really sent: its status, its headers, names in lower case, and the bytes of its error."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
