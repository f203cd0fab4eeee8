"""``turnright check``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from proxy.cli.configuration import UNUSABLE, print_warnings, read_configuration
from proxy.config import Settings, render_settings
from proxy.plan import profile_of
from proxy.tracing.enabling import tracing_fault
from proxy.upstream.transports import transport_of
from proxy.windows import window_of


def run_check(options: argparse.Namespace) -> int:
    """Print the effective settings and what each deployment comes to; 2 with every fault listed where there is one."""
    loaded = read_configuration(options.config)
    if loaded is None:
        return UNUSABLE
    fault = tracing_fault(loaded.settings, os.environ)
    if fault is not None:
        print(fault, file=sys.stderr)
        return UNUSABLE
    print(render_settings(loaded), end="")
    for line in _deployments(loaded.settings):
        print(line)
    print_warnings(loaded)
    return 0


def _deployments(settings: Settings) -> Iterator[str]:
    """Yield a line for each deployment, as YAML comments, so that the whole output stays a configuration."""
    routes = settings.routes
    yield "# deployments"
    for pool in (*routes.exact.values(), *routes.wildcards.values()):
        for deployment in pool:
            facts = [f"transport {transport_of(deployment)}"]
            if not deployment.model.endswith("*"):
                window = window_of(deployment).max_input_tokens
                facts.append(f"profile {profile_of(deployment, settings).name}")
                facts.append(f"window {window if window is not None else 'unknown'}")
            yield f"#   {deployment.name} -> {deployment.model}: {', '.join(facts)}"
