"""The options of ``turnright key``, in a module of their own.

So the command line is parsed without importing the command.
"""

from __future__ import annotations

from proxy.cli.option_types import Commands


def add_key(commands: Commands) -> None:
    """Add the command, its action and its options."""
    key = commands.add_parser(
        "key",
        help="make a key for a client",
        description="Make a random key of 256 bits, print it once, and print the entry of general_settings.keys with "
        "its hash. Nothing is stored or sent. Exit status 0: done; 2: the name cannot be used.",
    )
    key.add_argument("action", choices=("new",), help="new: make a key")
    key.add_argument("name", metavar="NAME", help="the key's name in logs and metrics")
    key.add_argument(
        "--json", action="store_true", help="print the name, the key and its hash as one JSON object"
    )
    key.set_defaults(module="proxy.cli.key", function="run_key")
