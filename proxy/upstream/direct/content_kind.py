"""Whether an answer is a stream of events or whole, where its content type does not say. Pure.

Some servers send events as ``text/plain`` or with no type at all, and some answer whole though they were asked for a
stream. The two cannot be mixed up: no JSON begins with the name of a field of an event.
"""

from __future__ import annotations

EVENT_STREAM = "text/event-stream"

_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""What a line of an event stream begins with (WHATWG HTML, section 9.2.6)."""

_BEFORE = b"\xef\xbb\xbf \t\r\n"
"""What may stand before the first line that says something: blank lines, a byte order mark."""


def without_blanks(begun: bytes) -> bytes:
    """Return what a body begins with, less the blanks before it, which mean nothing in either kind."""
    return begun.lstrip(_BEFORE)


def is_events(begun: bytes, *, announced: bool) -> bool | None:
    """Tell whether a body that begins with *begun* is a stream of events; None when more has to come to tell.

    Where one is *announced*, anything is one but JSON: some servers send an error as it is under the type of the
    stream that was asked for.
    """
    start = without_blanks(begun)
    if start.startswith((b"{", b"[")):
        return False
    if announced:
        return True if start else None
    if start.startswith(_FIELDS):
        return True
    return None if any(field.startswith(start) for field in _FIELDS) else False
