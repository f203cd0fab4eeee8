"""Read an HTTP answer as far as a load generator needs: its status, its end, and the times of its chunks."""

from __future__ import annotations

import re

_STAMP = re.compile(rb"sent=(\d{6,})\b(?!\Z)")
"""Finds the time at which a chunk was sent. The time is in the chunk's text, whatever JSON surrounds the text."""

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class AnswerReader:
    """Reads one answer. A connection has one request at a time, so that nothing follows the answer's end."""

    __slots__ = ("_head", "_left", "_tail", "status")

    def __init__(self) -> None:
        self.status = 0
        self._head: bytes | None = b""
        self._left: int | None = None
        self._tail = b""

    def feed(self, data: bytes) -> bool:
        """Take the next bytes, and tell whether the answer is complete."""
        if self._head is not None:
            self._head += data
            head, found, data = self._head.partition(b"\r\n\r\n")
            if not found:
                return False
            self._head = None
            self.status = int(head[9:12])
            length = _LENGTH.search(head)
            self._left = int(length[1]) if length else None
        if self._left is not None:
            self._left -= len(data)
            return self._left <= 0
        self._tail = (self._tail + data[-5:])[-5:]
        return self._tail == b"0\r\n\r\n"


class StampReader:
    """Reads the times at which a stream's chunks were sent, in nanoseconds."""

    __slots__ = ("_tail",)

    def __init__(self) -> None:
        self._tail = b""

    def feed(self, data: bytes) -> list[int]:
        """Take the next bytes, and return the times that are complete with these bytes."""
        text = self._tail + data
        found = list(_STAMP.finditer(text))
        self._tail = text[max(found[-1].end() if found else 0, len(text) - 40) :]
        return [int(match[1]) for match in found]
