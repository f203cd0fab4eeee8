"""``turnright check``: validates a configuration without serving it, for a CI step or an init container.

Exit status 0: the configuration can be served, perhaps with warnings. 2: it cannot be served, or the result cannot be
written to standard output.

Without ``--json``, faults and warnings go to standard error, each on a line with its file and line. Standard output
gets the configuration with its defaults and with masked secrets. Comments after the configuration describe its effect
on requests, and the store. The store is not opened.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

import orjson

from proxy.cli.check_table import check_lines
from proxy.cli.check_warnings import find_warnings
from proxy.cli.configuration import UNUSABLE, load_configuration
from proxy.cli.instruction_texts import instruction_lines
from proxy.cli.limit_table import limit_lines
from proxy.cli.print_result import print_result
from proxy.cli.store_table import plain_store, store_lines
from proxy.config import ConfigurationError, Fault, Loaded, render_faults, render_settings, render_warning
from proxy.config.render import plain_settings
from proxy.config.sdk_credentials import Surroundings
from proxy.core.memory_limit import read_memory_limit
from proxy.observability.tracing.enabling import tracing_fault
from proxy.planning.preview import preview_of
from proxy.server.connections.limits import reachable_limit

_Located = tuple[str, int | None]


def run_check(options: argparse.Namespace) -> int:
    """Print the effective settings and their effect on requests, or every fault. Returns the exit status."""
    try:
        loaded = _load(options.config, options.strict)
    except OSError as error:
        print(f"turnright: {options.config}: {error.strerror}", file=sys.stderr)
        return UNUSABLE
    except ConfigurationError as error:
        if options.json:
            return print_result(_json({"faults": _rows(error.faults), **_warnings(error.warnings)}), UNUSABLE)
        print(render_faults(error, options.config), end="", file=sys.stderr)
        return UNUSABLE
    models = preview_of(loaded.settings)
    found = find_warnings(
        loaded.settings,
        read_memory_limit(),
        reachable_limit(),
        _surroundings(),
        time.time(),  # noqa: TID251 - a key expires at a moment of the calendar
    )
    warnings = [loaded.places.warned(each) for each in (*loaded.warnings, *map(loaded.places.written, found))]
    if options.json:
        result = {
            "settings": plain_settings(loaded),
            "models": [asdict(model) for model in models],
            "store": plain_store(loaded.settings.store, loaded.settings.sessions),
            "faults": [],
            **_warnings(warnings),
        }
        return print_result(_json(result), 0)
    settings = loaded.settings
    lines = (
        *check_lines(settings, models),
        *limit_lines(settings),
        *instruction_lines(settings),
        "",
        *store_lines(settings.store, settings.sessions),
    )
    table = (f"# {line}".rstrip() for line in lines)
    status = print_result("\n".join([render_settings(loaded), *table]), 0)
    for warning, line in warnings:
        print(render_warning(warning, line, options.config), file=sys.stderr)
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


def _load(path: str, strict: bool) -> Loaded:
    """Return the configuration.

    Raises :class:`ConfigurationError` also where tracing is asked for and spans cannot be made.
    """
    loaded = load_configuration(path, strict=strict)
    fault = tracing_fault(loaded.settings.general_settings.tracing, os.environ)
    if fault is not None:
        raise ConfigurationError([loaded.places.located(fault)], map(loaded.places.warned, loaded.warnings))
    return loaded


def _rows(faults: Iterable[Fault]) -> list[dict[str, Any]]:
    return [{"line": fault.line, "text": str(fault)} for fault in faults]


def _warnings(warnings: Iterable[_Located]) -> dict[str, Any]:
    return {"warnings": [{"line": line, "text": warning} for warning, line in warnings]}


def _json(result: dict[str, Any]) -> str:
    return orjson.dumps(result, option=orjson.OPT_INDENT_2).decode()
