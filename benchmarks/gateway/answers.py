"""Reading an HTTP answer as it comes, as far as a load generator has to: its status, its end, and the chunks' times."""

from __future__ import annotations

import re

_STAMP = re.compile(rb"sent=(\d{6,})\b(?!\Z)")
"""Finds the time at which a chunk was sent. The time stands in its text, in any JSON around it."""

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class AnswerReader:
    """One answer; there is one request at a time on a connection, so that nothing comes behind its end."""

    __slots__ = ("_head", "_left", "_tail", "status")

    def __init__(self) -> None:
        self.status = 0
        self._head: bytes | None = b""
        self._left: int | None = None
        self._tail = b""

    def feed(self, data: bytes) -> bool:
        """Take what came; tell whether the answer is complete."""
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
    """The times at which a stream's chunks were sent, in nanoseconds."""

    __slots__ = ("_tail",)

    def __init__(self) -> None:
        self._tail = b""

    def feed(self, data: bytes) -> list[int]:
        """Take what came; return the stamps that are complete."""
        text = self._tail + data
        found = list(_STAMP.finditer(text))
        self._tail = text[max(found[-1].end() if found else 0, len(text) - 40) :]
        return [int(match[1]) for match in found]
