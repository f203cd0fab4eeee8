"""JSON values as server-sent events of one ``data:`` line."""

from __future__ import annotations

from typing import Any

from proxy.core.json_text import write_json

EVENT_STREAM = "text/event-stream; charset=utf-8"
"""The ``Content-Type`` of server-sent events."""


def encode_event(payload: Any, /) -> bytes:
    """Return *payload* as one event."""
    return b"data: " + write_json(payload) + b"\n\n"
