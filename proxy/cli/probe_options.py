"""The options of ``turnright probe``, in a module of their own.

So the command line is parsed without importing the command.
"""

from __future__ import annotations

from proxy.cli.option_types import Commands, seconds_or_zero


def add_probe(commands: Commands) -> None:
    """Add the command and its options."""
    probe = commands.add_parser(
        "probe",
        help="ask a provider which rules of a model's profile hold",
        description="Send small histories to the configured deployment, each legal or illegal by one rule of the "
        "model's profile, and compare what the provider says with what the profile says. The requests are sent as they "
        "are, and cost money. Exit status 0: the provider agrees; 1: it differs; 2: the input cannot be used; 3: the "
        "provider could not be asked.",
    )
    probe.add_argument("--config", required=True, metavar="FILE", help="the configuration")
    probe.add_argument("--model", metavar="NAME", help="the model; not needed where there is only one")
    probe.add_argument("--yes", action="store_true", help="start without the question")
    probe.add_argument(
        "--pause",
        type=seconds_or_zero,
        default=1.0,
        metavar="SECONDS",
        help="between requests (default: %(default)s)",
    )
    probe.add_argument("--json", action="store_true", help="print the results as one JSON object")
    probe.add_argument(
        "--report", metavar="FILE", help="save the differences as JSON, without words of a request"
    )
    probe.set_defaults(module="proxy.cli.probe", function="run_probe")
