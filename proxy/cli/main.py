"""The command line: its subcommands, each in a file of its own.

Exit status 0: done. 1: the outcome is not the expected one (``explain``: something is changed; ``serve``: the address
is not available; ``conform``: a history does not hold; ``probe``: the provider differs; ``learned``: no such repair).
2: the input or the configuration cannot be used. 3: the other side cannot be asked (``conform``: the gateway;
``probe``: the provider; ``learned``, ``sessions``: the process). 130: the command was interrupted.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable, Sequence

from proxy import __version__
from proxy.cli.conform_options import add_conform
from proxy.cli.key_options import add_key
from proxy.cli.learned_options import add_learned
from proxy.cli.option_types import Commands, port
from proxy.cli.probe_options import add_probe
from proxy.cli.sessions_options import add_sessions

_INTERRUPTED = 130
"""Exit status after Ctrl-C, where the command does not end in a way of its own: 128 + SIGINT, as in shells."""

_GC_THRESHOLD = 10_000
"""The number of new container objects after which Python's garbage collector runs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in *arguments* (by default those of the process) and return its exit status."""
    options = make_parser().parse_args(arguments)
    if options.reloads:  # until the reloader exists, a SIGHUP must not end the process
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        status: int = _import_command(options)(options)
        if sys.stdout is not None:  # the shell may have closed it: >&-
            sys.stdout.flush()
    except KeyboardInterrupt:  # Ctrl-C, also while modules are imported
        return _INTERRUPTED
    except BrokenPipeError:  # the reader has left, as `head` does; the rest of the buffer is dropped
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _import_command(options: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """Import only the chosen command's module, and return the function that runs the command.

    Objects made by imports stay alive. A garbage collection among these objects takes a tenth of the start time, and
    would block the event loop later. So these objects are frozen: the garbage collector skips them.

    A history of 300 messages has 2,500 containers, and nearly all of them are freed with their request. With CPython
    3.11's threshold of 700, the collector would search each history while it is alive. That costs 6 % of the CPU.
    """
    gc.disable()
    run: Callable[[argparse.Namespace], int] = getattr(
        importlib.import_module(options.module), options.function
    )
    gc.freeze()
    gc.enable()
    gc.set_threshold(_GC_THRESHOLD)
    return run


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line. Each command names the function that runs it."""
    parser = argparse.ArgumentParser(
        prog="turnright",
        description="An OpenAI-compatible LLM proxy that makes every history legal for the provider that reads it.",
    )
    parser.add_argument("--version", action="version", version=f"turnright {__version__}")
    parser.set_defaults(reloads=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (
        _add_serve,
        _add_init,
        _add_demo,
        _add_emulate,
        _add_explain,
        _add_check,
        _add_models,
        add_conform,
        add_probe,
        add_learned,
        add_sessions,
        add_key,
        _add_completion,
    ):
        add(commands)
    return parser


def _add_serve(commands: Commands) -> None:
    serve = commands.add_parser(
        "serve", help="serve the API", description="Serve the API until a signal comes."
    )
    serve.add_argument(
        "--config", metavar="FILE", help="the configuration; without it the environment decides"
    )
    _add_strict(serve)
    _add_address(serve, 4000)
    serve.set_defaults(module="proxy.cli.serve", function="run_serve", reloads=True)


def _add_init(commands: Commands) -> None:
    init = commands.add_parser(
        "init",
        help="write a first configuration from the keys in the environment",
        description="Write a commented configuration that names the variables of the keys in the environment, and no "
        "value. Exit status 2: there is no key, or the file exists.",
    )
    init.add_argument(
        "--output",
        metavar="FILE",
        default="turnright.yaml",
        help="the file to write, or - for standard output (default: %(default)s)",
    )
    init.set_defaults(module="proxy.cli.init", function="run_init")


def _add_demo(commands: Commands) -> None:
    demo = commands.add_parser(
        "demo",
        help="show the main job, with no key and no network",
        description="Start the emulator and the proxy, send the same broken histories to both, and compare.",
    )
    demo.add_argument(
        "--serve", action="store_true", help="then keep both up, with the histories in the page, until Ctrl-C"
    )
    demo.add_argument(
        "--port", type=port, default=4000, help="port of --serve, 0 for any (default: %(default)s)"
    )
    demo.set_defaults(module="proxy.cli.demo", function="run_demo")


def _add_emulate(commands: Commands) -> None:
    emulate = commands.add_parser(
        "emulate",
        help="run the strict Gemini emulator alone",
        description="Speak Gemini's own wire, and refuse what Gemini refuses.",
    )
    _add_address(emulate, 9090)
    emulate.set_defaults(module="proxy.cli.emulate", function="run_emulate")


def _add_explain(commands: Commands) -> None:
    explain = commands.add_parser(
        "explain",
        help="print what would be changed in a request, and why",
        description="Print what would be changed in a request, step by step, and why. A request of the Responses API "
        "is shown as the messages that its items become. Nothing is sent anywhere. "
        "Exit status 0: nothing is changed; 1: something is; 2: it is refused, or cannot be used.",
    )
    explain.add_argument(
        "--config", metavar="FILE", help="the configuration; without it the model's own rules"
    )
    explain.add_argument("--model", metavar="NAME", help="the model, instead of the one in the request")
    explain.add_argument("--json", action="store_true", help="print the answer of /v1/explain, and each step")
    explain.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="the request as JSON, - for stdin"
    )
    explain.set_defaults(module="proxy.cli.explain", function="run_explain")


def _add_check(commands: Commands) -> None:
    check = commands.add_parser(
        "check",
        help="validate a configuration",
        description="Validate a configuration; print the effective settings, secrets masked, and what happens to "
        "requests for each model. Exit status 0: it can be served, warnings or not; 2: it cannot, and every fault is "
        "listed.",
    )
    check.add_argument("--config", required=True, metavar="FILE", help="the configuration")
    _add_strict(check)
    check.add_argument("--json", action="store_true", help="print all of it as one JSON object")
    check.set_defaults(module="proxy.cli.check", function="run_check")


def _add_strict(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--strict",
        action="store_true",
        help="refuse a file that names an unset variable, instead of leaving out the model that needs it",
    )


def _add_models(commands: Commands) -> None:
    models = commands.add_parser(
        "models",
        help="list the models of a configuration",
        description="List the names that clients may send, with provider, address, context window and key, and the "
        "models that are left out since a variable is not set. No value of a key is shown.",
    )
    models.add_argument(
        "--config", metavar="FILE", help="the configuration; without it the environment decides"
    )
    models.add_argument("--json", action="store_true", help="print all of it as one JSON object")
    models.set_defaults(module="proxy.cli.models", function="run_models")


def _add_completion(commands: Commands) -> None:
    completion = commands.add_parser(
        "completion",
        help="print the completion of a shell",
        description='Print a script that completes commands and options in a shell: eval "$(turnright completion '
        'bash)" in ~/.bashrc.',
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh"), help="the shell")
    completion.set_defaults(module="proxy.cli.completion", function="run_completion")


def _add_address(command: argparse.ArgumentParser, default: int) -> None:
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    command.add_argument("--port", type=port, default=default, help="port, 0 for any (default: %(default)s)")
