"""The options of ``turnright learned``, in a module of their own.

So the command line is parsed without importing the command.
"""

from __future__ import annotations

import argparse

from proxy.cli.option_types import Commands

DEFAULT_URL = "http://127.0.0.1:4000"
"""The address at which ``turnright serve`` listens by default."""


def add_learned(commands: Commands) -> None:
    """Add the command, its actions and its options."""
    learned = commands.add_parser(
        "learned",
        help="show the repairs that a running turnright has learned, or forget one",
        description="Ask a running turnright for the repairs that it makes before it sends a request, since they have "
        "worked before. Exit status 0: done; 1: there is no such repair; 2: an option cannot be used; 3: the process "
        "cannot be asked.",
    )
    learned.add_argument(
        "action", nargs="?", choices=("list", "forget"), default="list", help="default: list"
    )
    learned.add_argument("id", nargs="?", metavar="KEY", help="the repair to forget, by its key in the list")
    add_process_options(learned)
    learned.set_defaults(module="proxy.cli.learned", function="run_learned")


def add_process_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that asks a running process: its address, its master key, and the form of output."""
    parser.add_argument(
        "--url", default=DEFAULT_URL, metavar="URL", help="the process's address (default: %(default)s)"
    )
    parser.add_argument(
        "--key-env",
        metavar="VARIABLE",
        default="TURNRIGHT_MASTER_KEY",
        help="the variable that holds the master key (default: %(default)s; unset: no key)",
    )
    parser.add_argument("--json", action="store_true", help="print the process's answer as it is")
