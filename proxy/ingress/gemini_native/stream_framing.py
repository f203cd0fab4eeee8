"""The two forms of a stream: server-sent events (``alt=sse``), and one JSON array that is written element by element.

google-genai and gemini-cli fail on comments and on ``data: [DONE]`` (0.61.0, run in 2026-11). So a stream of events has
neither. The bytes that keep it alive are a candidate with an empty text: google-genai takes a chat for broken where a
candidate has no content. Between the elements of an array, blanks mean nothing.
"""

from __future__ import annotations

from proxy.core.json_text import EVENT_STREAM
from sanitizers.record import record


@record
class Framing:
    """The bytes around each element of a stream: *first* and *later* before it, *behind* it.

    *end* and *empty_end* come last, the latter in a stream without elements.
    """

    content_type: str
    keep_alive: bytes
    first: bytes
    later: bytes
    behind: bytes
    end: bytes
    empty_end: bytes


SSE = Framing(
    content_type=EVENT_STREAM,
    keep_alive=b'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\n\n',
    first=b"data: ",
    later=b"data: ",
    behind=b"\n\n",
    end=b"",
    empty_end=b"",
)
"""Server-sent events."""

ARRAY = Framing(
    content_type="application/json; charset=utf-8",
    keep_alive=b" \n",
    first=b"[",
    later=b",\n",
    behind=b"",
    end=b"]\n",
    empty_end=b"[]\n",
)
"""One JSON array."""
