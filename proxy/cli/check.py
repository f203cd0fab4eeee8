"""``turnright check``: validates a configuration without serving it, for a CI step or an init container.

Exit status 0: it can be served, perhaps with warnings. 2: it cannot be served, or nothing can be written.

Faults and warnings go to standard error, each on a line. Standard output is the configuration with its defaults and
with masked secrets. Comments in it describe the effect on requests.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from importlib.util import find_spec

import orjson

from proxy.cli.check_table import check_lines
from proxy.cli.check_warnings import find_warnings
from proxy.cli.configuration import UNUSABLE, print_warnings, read_configuration
from proxy.cli.print_result import print_result
from proxy.config import render_settings
from proxy.config.render import plain_settings
from proxy.config.sdk_credentials import Surroundings
from proxy.core.memory_limit import read_memory_limit
from proxy.observability.tracing.enabling import tracing_fault
from proxy.planning.preview import preview_of
from proxy.server.connections.limits import reachable_limit


def run_check(options: argparse.Namespace) -> int:
    """Print the effective settings and their effect on requests. Returns 2 after printing every fault."""
    loaded = read_configuration(options.config)
    if loaded is None:
        return UNUSABLE
    fault = tracing_fault(loaded.settings.general_settings.tracing, os.environ)
    if fault is not None:
        print(fault, file=sys.stderr)
        return UNUSABLE
    models = preview_of(loaded.settings)
    warnings = find_warnings(loaded.settings, read_memory_limit(), reachable_limit(), _surroundings())
    if options.json:
        result = {
            "settings": plain_settings(loaded),
            "models": [asdict(model) for model in models],
            "warnings": [*loaded.warnings, *warnings],
        }
        return print_result(orjson.dumps(result, option=orjson.OPT_INDENT_2).decode(), 0)
    table = (f"# {line}".rstrip() for line in check_lines(loaded.settings, models))
    status = print_result("\n".join([render_settings(loaded), *table]), 0)
    print_warnings(loaded)
    for warning in warnings:
        print(f"turnright: warning: {warning}", file=sys.stderr)
    return status


def _surroundings() -> Surroundings:
    home = os.path.expanduser("~").rstrip("/")
    return Surroundings(os.environ, home, is_file=os.path.isfile, has_module=_has_module)


def _has_module(name: str) -> bool:
    """Tell whether a module is installed. Its parent packages are imported, and the module is not."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
