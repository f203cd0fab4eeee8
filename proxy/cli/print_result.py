"""What a command prints whose exit status is its answer: neither the terminal nor its reader may change that status.

A terminal that cannot show a character gets its escape, and a reader that leaves, as ``head`` does, misses the rest.
Only where nothing can be written at all is there no answer.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

from proxy.cli.configuration import UNUSABLE


def print_result(text: str, status: int) -> int:
    """Print *text* and return *status*; 2 with a word of why where it cannot be written."""
    stream: TextIO | None = sys.stdout
    if stream is None:  # closed by the shell: >&-
        return _tell("it is closed")
    try:
        stream.write(f"{_escaped(stream, text)}\n")
        stream.flush()
    except BrokenPipeError:
        _let_go(stream)
    except OSError as error:
        _let_go(stream)
        return _tell(error.strerror or "it cannot be written")
    return status


def can_show(text: str) -> bool:
    """Tell whether standard output has a sign for every character of *text*."""
    return sys.stdout is None or _escaped(sys.stdout, text) == text


def takes_colours() -> bool:
    """Tell whether standard output is a terminal that shows colours, to somebody who wants them (https://no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and sys.stdout is not None and sys.stdout.isatty()


def _escaped(stream: TextIO, text: str) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _tell(why: str) -> int:
    print(f"turnright: standard output: {why}", file=sys.stderr)
    return UNUSABLE


def _let_go(stream: TextIO) -> None:
    """Lead what is still buffered nowhere, or Python's own end would fail at it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
