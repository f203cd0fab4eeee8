"""The options of ``turnright sessions``, in a module of their own.

So the command line is parsed without importing the command.
"""

from __future__ import annotations

from proxy.cli.learned_options import add_process_options
from proxy.cli.option_types import Commands


def add_sessions(commands: Commands) -> None:
    """Add the command, its action and its options."""
    sessions = commands.add_parser(
        "sessions",
        help="delete the stored responses and conversations of a client's key",
        description="Have a running turnright delete all stored responses and conversations of one client's key. They "
        "cannot be had again. Exit status 0: done; 2: an option cannot be used; 3: the process cannot be asked, or "
        "its store.",
    )
    sessions.add_argument("action", choices=("purge",), help="purge: delete all of a key")
    sessions.add_argument(
        "--key",
        required=True,
        metavar="NAME",
        help="the name of the key in general_settings.keys; empty for the master key, and where no key is configured",
    )
    add_process_options(sessions)
    sessions.set_defaults(module="proxy.cli.sessions", function="run_sessions")
