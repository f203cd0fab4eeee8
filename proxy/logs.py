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
from typing import Any, TextIO, cast

import orjson
import structlog
from typing_extensions import override


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


def configure_logs(stream: TextIO | None = None) -> None:
    """Send every log line to *stream* (standard output by default) as JSON."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Sink(stream or sys.stdout))),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [LibraryLines()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)


def get_log() -> Any:
    """Return the logger of our own events."""
    return structlog.get_logger()


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
