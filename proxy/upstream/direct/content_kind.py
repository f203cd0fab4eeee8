"""Tells an event stream from a whole answer, even if the content type is missing or wrong.

Some servers send events as ``text/plain`` or without a type. Some send a whole answer to a request for a stream. The
first bytes of the body decide, since no JSON begins with the field name of an event.
"""

from __future__ import annotations

EVENT_STREAM = "text/event-stream"

_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""The starts of a line in an event stream (WHATWG HTML, section 9.2.6)."""

_BEFORE = b"\xef\xbb\xbf \t\r\n"
"""Bytes that may come before the first line with content: blanks and a byte order mark."""


def without_blanks(begun: bytes) -> bytes:
    """Return the start of a body without leading blanks, which have no meaning in JSON or in a stream."""
    return begun.lstrip(_BEFORE)


def is_events(begun: bytes, *, announced: bool) -> bool | None:
    """Tell whether a body that begins with *begun* is an event stream. None when more bytes are needed.

    *announced* means that the content type is that of an event stream. Every body but JSON is then a stream. Some
    servers send a JSON error under the type of the stream that was asked for.
    """
    start = without_blanks(begun)
    if start.startswith((b"{", b"[")):
        return False
    if announced:
        return True if start else None
    if start.startswith(_FIELDS):
        return True
    return None if any(field.startswith(start) for field in _FIELDS) else False
