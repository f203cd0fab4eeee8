"""``turnright check``."""

from __future__ import annotations

import argparse

from proxy.cli.configuration import UNUSABLE, print_warnings, read_configuration
from proxy.config import render_settings


def run_check(options: argparse.Namespace) -> int:
    """Print the effective settings; 2 with every fault listed where there is one."""
    loaded = read_configuration(options.config)
    if loaded is None:
        return UNUSABLE
    print(render_settings(loaded), end="")
    print_warnings(loaded)
    return 0
