"""``turnright completion``: prints a script that completes the command line in a shell.

shtab writes the script from the parser. So the script knows every command and option. It starts no Python when Tab is
pressed.
"""

from __future__ import annotations

import argparse

import shtab

from proxy.cli.main import make_parser
from proxy.cli.print_result import print_result


def run_completion(options: argparse.Namespace) -> int:
    """Print the completion script for the shell in *options*."""
    parser = make_parser()
    _complete_files(parser)
    return print_result(shtab.complete(parser, options.shell), 0)


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Tell shtab which arguments of *parser* and of its subcommands are files."""
    for action in parser._actions:  # argparse has no public list
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_files(command)
        elif action.metavar == "FILE":
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab reads this attribute
