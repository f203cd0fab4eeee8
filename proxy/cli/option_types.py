"""Reads the values of command-line options: converts a text to a number, or raises an error that argparse shows."""

from __future__ import annotations

import argparse
from typing import TypeAlias
from urllib.parse import urlsplit

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The type of the object to which each subcommand's parser is added."""

_MAX_SECONDS = 3600


def port(text: str) -> int:
    """Return the port number in *text*.

    0 stands for any free port. Raises ArgumentTypeError for a text that is no port number.
    """
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("must be a number between 0 and 65535")
    return number


def positive_seconds(text: str) -> float:
    """Return the seconds in *text*, at most an hour. Raises ArgumentTypeError for anything else."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MAX_SECONDS:  # NaN is refused as well
        raise argparse.ArgumentTypeError(f"must be a number of seconds, over 0 and at most {_MAX_SECONDS}")
    return seconds


def seconds_or_zero(text: str) -> float:
    """Return the seconds in *text*, from 0 to an hour. Raises ArgumentTypeError for anything else."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _MAX_SECONDS:  # NaN is refused as well
        raise argparse.ArgumentTypeError(f"must be a number of seconds between 0 and {_MAX_SECONDS}")
    return seconds


def is_address(text: str) -> bool:
    """Return True for an http or https address without a user name or a query."""
    try:
        parts = urlsplit(text)
        plain = parts.username is None and not parts.query and not parts.fragment
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and plain
    except ValueError:  # a port that is no number, or an IPv6 address that is not closed
        return False
