"""``turnright serve``: serves the API."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from proxy.cli.command_name import command_name
from proxy.cli.configuration import UNUSABLE, print_warnings, read_configuration, reload_configuration
from proxy.cli.print_result import takes_colours
from proxy.config import Settings, bind_fault
from proxy.core.offload import shorten_switch_interval
from proxy.observability.log_lines import choose_format, line_format
from proxy.observability.log_writer import WriterThread
from proxy.observability.logs import configure_logs, log_stray_errors
from proxy.observability.tracing.enabling import UnreadableVariable, open_tracing, tracing_fault
from proxy.server.connections.limits import raise_descriptor_limit
from proxy.server.event_loop import make_loop
from proxy.server.process_end import ProcessEnd, exit_process, run_until_done
from proxy.server.reload.reloader import Reloader
from proxy.server.reload.watch_file import FileWatch
from proxy.server.serve import Service, serve
from proxy.state.external.backend import StoreInUse
from proxy.upstream.select_transport import SelectingUpstream


def run_serve(options: argparse.Namespace) -> int:
    """Serve until a signal comes. Returns the exit status.

    The status is 2 for an unusable configuration or a store's file in use, and 1 if the address is not available.
    """
    if open_closed_streams():
        print("turnright: warning: standard output is closed: the log goes nowhere", file=sys.stderr)
    # Made before the file is read, so that no change is missed.
    watch = FileWatch(options.config) if options.config is not None else None
    loaded = read_configuration(options.config, strict=options.strict, watch=watch)
    if loaded is None:
        return UNUSABLE
    settings = loaded.settings
    general = settings.general_settings
    faults = (bind_fault(general, options.host), tracing_fault(general.tracing, os.environ))
    if any(faults):
        for fault in filter(None, faults):
            print(f"turnright: {fault.path} {fault.text}", file=sys.stderr)
        return UNUSABLE
    print_warnings(loaded, options.config)
    try:
        status = _serve(options, settings, watch)
    except UnreadableVariable:
        print("turnright: OpenTelemetry cannot read the value of an OTEL_ variable", file=sys.stderr)
        return UNUSABLE
    except StoreInUse as error:
        print(f"turnright: {error}", file=sys.stderr)
        return UNUSABLE
    except OSError as error:
        print(f"turnright: cannot listen: {error.strerror}", file=sys.stderr)
        return 1
    return exit_process(status)


def _serve(options: argparse.Namespace, settings: Settings, watch: FileWatch | None) -> int:
    logs, at_terminal = settings.general_settings.logs, sys.stdout.isatty()
    chosen = choose_format(logs.format, at_terminal=at_terminal)
    format_line = line_format(chosen, colours=takes_colours())
    with WriterThread(sys.stdout.fileno(), format_line) as writer:
        configure_logs(writer=writer, format_line=format_line, quiet=logs.level == "warning")
        log_stray_errors()
        shorten_switch_interval()
        raise_descriptor_limit()
        upstream = SelectingUpstream.for_settings(settings)
        reloader = Reloader(
            partial(reload_configuration, options.config, strict=options.strict, watch=watch),
            options.host,
            watch,
        )
        tracing = open_tracing(settings.general_settings.tracing, os.environ)
        service = Service(settings, upstream, tracing, options.host, options.port)
        if at_terminal and chosen == "readable":
            service = replace(service, on_ready=_greeter(settings, options.config, writer))
        return run_until_done(serve(service, reloader, ProcessEnd(writer.close)), make_loop)


def _greeter(settings: Settings, config: str | None, writer: WriterThread) -> Callable[[str], None]:
    """Return the function that writes the banner for a base URL, in order with the lines of the log."""
    from proxy.cli.banner import Started, banner  # only a terminal pays for rich's import

    started = Started(command_name(), config, shutil.get_terminal_size().columns)

    def greet(base_url: str) -> None:
        writer.write(banner(settings, os.environ, started, base_url, colours=takes_colours()))

    return greet


def open_closed_streams() -> bool:
    """Open closed standard streams on ``/dev/null``. Returns True if standard output was closed.

    The shell closes standard streams by ``>&- 2>&-``, and some supervisors close them too. Python sets such a stream to
    ``None`` and leaves its descriptor free. The next socket would get that descriptor. Lines that a library writes to
    the descriptor would then go to that socket's peer.
    """
    closed = sys.stdout is None
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor, which is this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - open until the process ends
    return closed
