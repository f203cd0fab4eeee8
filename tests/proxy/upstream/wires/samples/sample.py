"""Sample data of one wire: how its requests are read, and the provider's answers in its own format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WireSample:
    """A provider, and the JSON of its wire for one small chat.

    Each answer has the text "Good day." and the finish reason ``stop``.
    """

    provider: str
    """The provider's name in the table of wires."""

    model: str
    """A model, in litellm's spelling."""

    read_texts: Callable[[Any], list[str]]
    """Takes the JSON of a request, and returns the texts of its messages in order."""

    key_header: str
    key_prefix: str
    """The text before the key in its header."""

    answer: bytes
    stream: bytes
    """Server-sent events. The first event begins the answer, and does not end it."""

    refusal: bytes
    """The body of a 400 that says "Too many tokens."."""

    unsupported: str
    """A request parameter that the wire cannot send."""


def write_events(*events: Any) -> bytes:
    """Return the bytes of these events as server-sent events."""
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
