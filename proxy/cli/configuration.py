"""Reads the configuration for a command, from its file or from the environment."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from proxy.cli.named_files import NamedFiles
from proxy.config import ConfigurationError, Loaded, load_settings, render_faults, render_warning
from proxy.server.reload.watch_file import FileWatch

UNUSABLE = 2
"""Exit status for a configuration or an input that cannot be used."""


def load_configuration(path: str | None, *, strict: bool = False, watch: FileWatch | None = None) -> Loaded:
    """Return the settings from *path*, or from the environment without one.

    With *strict*, a variable that is not set is a fault. Without *strict*, the model that needs the variable is left
    out. *watch* then watches the files that the configuration names, also where it has a fault. Raises
    :class:`OSError` and :class:`ConfigurationError`.
    """
    text = None if path is None else Path(path).read_bytes()
    files = NamedFiles(path) if watch is None else NamedFiles(path, watch.follow)
    try:
        return load_settings(text, os.environ, strict=strict, read_file=files.read)
    finally:
        if watch is not None:
            watch.follow_only(files.paths)


def reload_configuration(path: str | None, *, strict: bool = False, watch: FileWatch | None = None) -> Loaded:
    """Return the settings anew, as :func:`load_configuration` does.

    A pipe, as in ``--config <(…)``, raises :class:`OSError`. The pipe was emptied at the start, and reading from the
    pipe again may block forever.
    """
    if path is not None and Path(path).exists() and not Path(path).is_file():
        raise OSError(errno.ESPIPE, "it is not a file, and was read at the start")
    return load_configuration(path, strict=strict, watch=watch)


def read_configuration(
    path: str | None, *, strict: bool = False, watch: FileWatch | None = None
) -> Loaded | None:
    """Return the settings as :func:`load_configuration` does. On a fault, print it and return None."""
    try:
        return load_configuration(path, strict=strict, watch=watch)
    except OSError as error:
        print(f"turnright: {path}: {error.strerror}", file=sys.stderr)
        return None
    except ConfigurationError as error:
        print(render_faults(error, path), end="", file=sys.stderr)
        return None


def print_warnings(loaded: Loaded, path: str | None = None) -> None:
    """Print the warnings of a configuration to standard error.

    *path* is the configuration's file, which each line names.
    """
    for warning, line in map(loaded.places.warned, loaded.warnings):
        print(render_warning(warning, line, path), file=sys.stderr)
