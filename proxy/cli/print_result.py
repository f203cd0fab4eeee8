"""Writes the result of a command, whose exit status then depends neither on the terminal nor on the reader.

A character that the terminal cannot show becomes an escape. A reading process that ends early, as ``head`` does, misses
the rest. The status changes only if standard output cannot be written.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

from proxy.cli.configuration import UNUSABLE


def print_result(text: str, status: int) -> int:
    """Print *text* and return *status*. If it cannot be written, say why on standard error and return 2."""
    stream: TextIO | None = sys.stdout
    if stream is None:  # closed by the shell: >&-
        return _report_fault("it is closed")
    try:
        stream.write(f"{_escaped(stream, text)}\n")
        stream.flush()
    except BrokenPipeError:
        _discard_buffer(stream)
    except OSError as error:
        _discard_buffer(stream)
        return _report_fault(error.strerror or "it cannot be written")
    return status


def can_encode(text: str) -> bool:
    """Tell whether standard output's encoding has every character of *text*."""
    return sys.stdout is None or _escaped(sys.stdout, text) == text


def takes_colours() -> bool:
    """Tell whether standard output is a terminal with colours, and ``NO_COLOR`` is not set (https://no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and sys.stdout is not None and sys.stdout.isatty()


def _escaped(stream: TextIO, text: str) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _report_fault(why: str) -> int:
    print(f"turnright: standard output: {why}", file=sys.stderr)
    return UNUSABLE


def _discard_buffer(stream: TextIO) -> None:
    """Send the rest of the buffer to ``/dev/null``. Otherwise Python's own flush at the exit would fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
