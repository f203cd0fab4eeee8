"""Server-sent events as OpenAI's streams have them. Pure."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.core.json_text import write_json

DONE = b"data: [DONE]\n\n"
"""The end of a whole stream; never sent behind an error."""


def encode_event(payload: Any) -> bytes:
    """Return *payload* as one event."""
    return b"data: " + write_json(payload) + b"\n\n"


def decode_event(event: bytes) -> Any:
    """Return what :func:`encode_event` made *event* of."""
    return orjson.loads(event.removeprefix(b"data: "))
