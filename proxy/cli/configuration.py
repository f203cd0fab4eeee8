"""Reading the configuration for a command: the one place that opens the file and looks at the environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from proxy.config import ConfigurationError, Loaded, load_settings, render_faults

UNUSABLE = 2
"""Exit status of a configuration or an input that cannot be used."""


def read_configuration(path: str | None) -> Loaded | None:
    """Return the settings from *path*, or from the environment without one; None after telling what is wrong."""
    try:
        text = None if path is None else Path(path).read_bytes()
    except OSError as error:
        print(f"turnright: {path}: {error.strerror}", file=sys.stderr)
        return None
    try:
        return load_settings(text, os.environ)
    except ConfigurationError as error:
        print(render_faults(error), end="", file=sys.stderr)
        return None


def print_warnings(loaded: Loaded) -> None:
    """Print what was noticed and is no fault."""
    for warning in loaded.warnings:
        print(f"turnright: warning: {warning}", file=sys.stderr)
