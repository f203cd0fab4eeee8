"""Structured logs on standard output: a line for each finished request and for other events, without message text.

A line holds no API key, address or message text. Of a client's headers, a line holds only the ids of request and trace.
The proxy's own events have fixed fields. Libraries' log lines and uncaught errors are logged with their class and
source line, and never with their text. The text may quote a request: litellm quotes messages, aiohttp quotes header
lines, asyncio prints exceptions.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

from typing_extensions import override

from proxy.observability.log_lines import FormatLine, json_line
from proxy.observability.log_writer import WriterThread


class LibraryLines(logging.Handler):
    """Logs the lines of libraries, without their text."""

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
    """A stream whose reader may go away. A log line that cannot be written must not fail a request."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


class Log:
    """Writes each event as one line. A *quiet* log leaves out ``info`` lines.

    This class replaces structlog, whose import takes a tenth of the start and 9 MB.
    """

    __slots__ = ("_format", "_quiet", "_sink")

    def __init__(
        self,
        sink: TextIO | _Sink | WriterThread,
        format_line: FormatLine = json_line,
        *,
        quiet: bool = False,
    ) -> None:
        self._sink = sink
        self._format = format_line
        self._quiet = quiet

    def info(self, event: str, **fields: object) -> None:
        """Write an ordinary event."""
        if not self._quiet:
            self._write("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Write an event that an operator should look at."""
        self._write("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Write a defect of the proxy."""
        self._write("error", event, fields)

    def _write(self, level: str, event: str, fields: dict[str, object]) -> None:
        self._sink.write(self._format(level, event, fields, datetime.now(UTC)))


_log = Log(_Sink(sys.stdout))


def configure_logs(
    stream: TextIO | None = None,
    writer: WriterThread | None = None,
    *,
    format_line: FormatLine = json_line,
    quiet: bool = False,
) -> None:
    """Send every log line to *writer*, or to *stream* (standard output by default) where there is no writer.

    *quiet* leaves out ordinary events, such as the lines of requests.
    """
    global _log
    _log = Log(writer or _Sink(stream or sys.stdout), format_line, quiet=quiet)
    root = logging.getLogger()
    root.handlers[:] = [LibraryLines()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)


def get_log() -> Log:
    """Return the log of the proxy's own events."""
    return _log


def report_fault(error: Exception, request_id: str) -> None:
    """Log a defect of the proxy: the error's class, and the function and line that raised it.

    The error's text is left out, since the text may quote the request.
    """
    get_log().error(
        "internal_fault",
        request_id=request_id,
        error=type(error).__name__,
        place=_place_of(error.__traceback__),
    )


def log_stray_errors() -> None:
    """Log uncaught errors of finalizers and threads without their text. Python would print the errors with their text.

    An error that ends the process is still printed by Python.
    """

    def on_finalizer(stray: sys.UnraisableHookArgs) -> None:
        _report_stray("finalizer", stray.exc_type, stray.exc_traceback)

    def on_thread(stray: threading.ExceptHookArgs) -> None:
        _report_stray("thread", stray.exc_type, stray.exc_traceback)

    sys.unraisablehook, threading.excepthook = on_finalizer, on_thread


def _report_stray(where: str, kind: type[BaseException], raised: TracebackType | None) -> None:
    get_log().error("stray_error", where=where, error=kind.__name__, place=_place_of(raised))


def _place_of(raised: TracebackType | None) -> str | None:
    """Return the function and the line in which an error was raised."""
    frames = traceback.extract_tb(raised)
    return f"{frames[-1].name}:{frames[-1].lineno}" if frames else None
