"""The options of ``turnright conform``, in a module of their own.

So the command line is parsed without importing the command.
"""

from __future__ import annotations

from proxy.cli.option_types import Commands, port, positive_seconds


def add_conform(commands: Commands) -> None:
    """Add the command and its options."""
    conform = commands.add_parser(
        "conform",
        help="measure a gateway with the public corpus of broken histories",
        description="Serve the strict Gemini emulator, send a corpus of broken histories to a gateway that has it as "
        "its provider, and judge what arrives. Exit status 0: all histories hold; 1: some do not; 2: an option "
        "cannot be used; 3: the gateway cannot be asked.",
    )
    conform.add_argument("--base-url", required=True, metavar="URL", help="the gateway's address, with /v1")
    conform.add_argument("--model", required=True, metavar="NAME", help="the model's name at the gateway")
    conform.add_argument(
        "--key-env",
        metavar="VARIABLE",
        default="TURNRIGHT_CONFORM_KEY",
        help="the variable that holds a key for the gateway (default: %(default)s; unset: no key)",
    )
    conform.add_argument(
        "--emulator-host", default="127.0.0.1", help="the emulator's address (default: %(default)s)"
    )
    conform.add_argument(
        "--emulator-port",
        type=port,
        default=9090,
        help="the emulator's port, 0 for any (default: %(default)s)",
    )
    conform.add_argument(
        "--yes", action="store_true", help="do not wait for Enter, but until the gateway answers"
    )
    conform.add_argument(
        "--wait",
        type=positive_seconds,
        default=60.0,
        metavar="SECONDS",
        help="how long to wait for the gateway (default: 60)",
    )
    conform.add_argument(
        "--timeout",
        type=positive_seconds,
        default=30.0,
        metavar="SECONDS",
        help="time for one request (default: 30)",
    )
    conform.add_argument("--json", action="store_true", help="print the outcomes as one JSON object")
    conform.set_defaults(module="proxy.cli.conform", function="run_conform")
