"""Writes log lines in a worker thread, so that a slow or stuck reader never blocks the event loop.

Lines are gathered and written together every tenth of a second. Lines beyond a limit are dropped. An extra log line
gives the number of dropped lines. Lines that are still queued at shutdown are written before the process ends, for at
most two seconds.
"""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from datetime import UTC, datetime

from proxy.observability.log_lines import FormatLine, json_line

_EVERY_S = 0.1
_MAX_LINES = 20_000
"""Lines that may wait: about 10 MB."""

_LAST_S = 2.0
"""Seconds that a stuck reader has at shutdown."""


class WriterThread:
    """Writes lines to the file descriptor *fd* while its context lasts.

    *format_line* formats the extra line about dropped lines.
    """

    def __init__(self, fd: int, format_line: FormatLine = json_line) -> None:
        self._fd = fd
        self._format = format_line
        self._lines: deque[str] = deque()
        self._dropped = 0
        self._woken = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)

    def __enter__(self) -> WriterThread:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Write the lines that are left, and end the thread."""
        self.close(_LAST_S)

    def close(self, within_s: float) -> None:
        """Have the thread write the lines that are left, and end. Waits for that at most *within_s* seconds.

        May be called more than once.
        """
        self._stopping = True
        self._woken.set()
        self._thread.join(within_s)

    def write(self, line: str) -> None:
        """Queue a line, which ends with a newline. Never waits."""
        if len(self._lines) >= _MAX_LINES:
            self._dropped += 1
            return
        self._lines.append(line)

    def _run(self) -> None:
        while True:
            stopping = self._stopping
            self._write_out()
            if stopping:
                return
            self._woken.wait(_EVERY_S)

    def _write_out(self) -> None:
        lines = []
        while self._lines:
            lines.append(self._lines.popleft())
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            lines.append(self._format("warning", "log_lines_dropped", {"lines": dropped}, datetime.now(UTC)))
        left = memoryview("".join(lines).encode(errors="backslashreplace"))
        try:
            while left:
                try:
                    left = left[os.write(self._fd, left) :]
                except BlockingIOError:  # another process made the descriptor non-blocking
                    select.select((), (self._fd,), (), _EVERY_S)
        except OSError:  # the reader has gone, or the disk is full: counted as dropped
            self._dropped += bytes(left).count(b"\n")
