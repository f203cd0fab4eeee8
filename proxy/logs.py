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
from collections.abc import MutableMapping
from typing import Any, TextIO

import orjson
import structlog
from typing_extensions import override

from proxy.log_writer import WriterThread


def _render(_: object, __: str, event: MutableMapping[str, Any]) -> str:
    return orjson.dumps(event, default=str).decode()


class LibraryLines(logging.Handler):
    """Writes what libraries log, without their text."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._log = structlog.get_logger()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        self._log.warning(
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


class _Logger:
    """Writes lines to a sink as they come."""

    def __init__(self, sink: _Sink | WriterThread) -> None:
        self._sink = sink

    def msg(self, line: str) -> None:
        self._sink.write(line + "\n")
        self._sink.flush()

    debug = info = warning = error = critical = msg


def configure_logs(stream: TextIO | None = None, writer: WriterThread | None = None) -> None:
    """Send every log line to *stream* (standard output by default) as JSON, by way of *writer* if there is one."""
    logger = _Logger(writer or _Sink(stream or sys.stdout))
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: logger,
        cache_logger_on_first_use=False,
    )
    global _log  # bound once: the lazy proxy of `get_logger` binds anew for every line, 6 us each
    _log = structlog.get_logger().bind()
    root = logging.getLogger()
    root.handlers[:] = [LibraryLines()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)


_log: Any = structlog.get_logger()


def get_log() -> Any:
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
