"""The received requests and their outcomes, for tests and people to read afterwards.

The journal is limited in entries and in bytes, and drops the oldest first. It keeps no headers and no query strings,
and so no key.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Literal

import orjson

Finished = Literal["running", "complete", "disconnected", "dropped"]

MAX_BYTES = 128 * 1024 * 1024


@dataclass
class Entry:
    """One request and its outcome."""

    method: str
    path: str
    model: str
    stream: bool
    body: bytes
    status: int | None = None
    message: str | None = None
    finished: Finished = "running"
    """``complete``: sent to the end. ``disconnected``: the client left. ``dropped``: the emulator aborted the
    connection."""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as the control endpoint shows it. A body that is not JSON is ``null``."""
        return {
            "method": self.method,
            "path": self.path,
            "model": self.model,
            "stream": self.stream,
            "body": parse_json(self.body),
            "verdict": {"status": self.status, "message": self.message},
            "finished": self.finished,
        }


def parse_json(body: bytes) -> Any:
    """Return the JSON value of *body*, or ``None`` when it is not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


class Journal:
    """The newest entries, limited to *size* entries and *max_bytes* of bodies. The newest one is always kept."""

    def __init__(self, size: int, max_bytes: int = MAX_BYTES) -> None:
        self._entries: deque[Entry] = deque()
        self._size = size
        self._max_bytes = max_bytes
        self._bytes = 0

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries, oldest first."""
        return tuple(self._entries)

    def open(self, entry: Entry) -> Entry:
        """Add *entry*, drop the oldest ones that no longer fit, and return *entry*."""
        self._entries.append(entry)
        self._bytes += len(entry.body)
        while len(self._entries) > 1 and (len(self._entries) > self._size or self._bytes > self._max_bytes):
            self._bytes -= len(self._entries.popleft().body)
        return entry

    def clear(self) -> None:
        """Remove every entry."""
        self._entries.clear()
        self._bytes = 0

    def as_json(self) -> list[dict[str, Any]]:
        """Return the entries, oldest first."""
        return [entry.as_json() for entry in self._entries]
