"""Structured logs: JSON lines on standard output, one per request, and nothing of what was said.

Rules: no key, header, address or message text in a line. Our own events have fixed fields. Lines of libraries
come through with logger, level and place only, never with their text, because nobody can vouch for what is in
it: litellm quotes messages, aiohttp quotes header lines, asyncio prints exceptions.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import TextIO

import orjson
from typing_extensions import override

from proxy.log_writer import WriterThread


class LibraryLines(logging.Handler):
    """Writes what libraries log, without their text."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    @override
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        get_log().warning(
            "library_log",
            logger=record.name,
            level_name=record.levelname.lower(),
            place=f"{record.module}:{record.lineno}",
            error=error,
        )


class _Sink:
    """A stream whose reader may go away: a log line that cannot be written must not fail a request."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            return self._stream.write(text)
        return 0

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


class Log:
    """Writes each event as one line of JSON: its fields, then its name, level and time.

    Written here and not by a library: importing structlog takes a tenth of a start, and 9 MB.
    """

    __slots__ = ("_sink",)

    def __init__(self, sink: TextIO | _Sink | WriterThread) -> None:
        self._sink = sink

    def info(self, event: str, **fields: object) -> None:
        """Write what happens in the ordinary course."""
        self._write("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Write what somebody should look at."""
        self._write("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Write a defect."""
        self._write("error", event, fields)

    def _write(self, level: str, event: str, fields: dict[str, object]) -> None:
        line = {**fields, "event": event, "level": level, "timestamp": datetime.now(UTC)}
        self._sink.write(orjson.dumps(line, default=str, option=_LINE).decode())
        self._sink.flush()


_LINE = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z

_log = Log(_Sink(sys.stdout))


def configure_logs(stream: TextIO | None = None, writer: WriterThread | None = None) -> None:
    """Send every log line to *stream* (standard output by default) as JSON, by way of *writer* if there is one."""
    global _log
    _log = Log(writer or _Sink(stream or sys.stdout))
    root = logging.getLogger()
    root.handlers[:] = [LibraryLines()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)


def get_log() -> Log:
    """Return the logger of our own events."""
    return _log


def report_fault(error: Exception, request_id: str) -> None:
    """Log a defect of ours by its class and place; its text may quote the request."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    get_log().error(
        "internal_fault",
        request_id=request_id,
        error=type(error).__name__,
        place=f"{last.name}:{last.lineno}" if last else None,
    )
