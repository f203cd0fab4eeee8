"""``turnright probe``: asks a provider which rules of a model's profile hold.

Exit status 0: the provider agrees wherever it was asked. 1: the provider's answers differ from the profile. 2: the
input or the configuration cannot be used. 3: the provider could not be asked about some of the rules, and nothing
differs.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
from pathlib import Path

import orjson

from proxy.cli.ask_provider import Prober, without_secrets
from proxy.cli.configuration import UNUSABLE, read_configuration
from proxy.cli.print_result import can_encode, print_result, takes_colours
from proxy.cli.show_probe import show_probe, show_size
from proxy.config import Settings
from proxy.config.pools import choose_pool
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest, ModelUnavailable
from proxy.observability.logs import configure_logs
from proxy.planning.plan_target import profile_of
from proxy.planning.probe.choose_cases import choose_cases
from proxy.planning.probe.count_tokens import count_tokens
from proxy.planning.probe.describe import Probe, describe_differences, describe_probe
from proxy.planning.probe.history_values import ProbeHistory
from proxy.planning.probe.judge_reply import Verdict
from proxy.planning.probe.known_refusals import upstream_of
from proxy.planning.probe.order_requests import order_requests
from proxy.upstream.select_transport import SelectingUpstream
from sanitizers import Profile

DIFFERS = 1
NOT_ASKED = 3
"""Exit status if the provider could not be asked about some rules, and no answer differs from the profile."""

_STATUS = {Verdict.AGREES: 0, Verdict.DIFFERS: DIFFERS, Verdict.NOT_ASKED: NOT_ASKED}


def run_probe(options: argparse.Namespace) -> int:
    """Probe the deployment of a model, print the results, and return the exit status."""
    loaded = read_configuration(options.config)
    if loaded is None:
        return UNUSABLE
    settings = loaded.settings
    deployment = _deployment(settings, options.model)
    if deployment is None:
        return UNUSABLE
    if options.report is not None and not Path(options.report).absolute().parent.is_dir():
        return _refuse(f"{options.report}: its directory does not exist")
    upstream_name, profile = upstream_of(deployment), _profile(settings, deployment)
    cases = choose_cases(profile, upstream_name)
    size = count_tokens(cases, deployment.model)
    model = without_secrets(deployment.model, settings, deployment)
    print(show_size(size, model, options.pause), file=sys.stderr)
    if not options.yes and (status := _ask_to_start()):
        return status
    configure_logs(io.StringIO())  # hides litellm's log, since the table is the output
    upstream = SelectingUpstream((deployment,))
    progress = _Progress(size.requests)
    prober = Prober(settings, deployment, upstream, options.pause, progress)
    try:
        findings = asyncio.run(prober.run(order_requests(cases)))
    finally:
        progress.end()
    probe = Probe(model, upstream_name, profile.name, findings, cases.untested)
    status = _STATUS[probe.verdict]
    if options.report is not None and not _write_report(options.report, probe):
        status = UNUSABLE
    if options.json:
        shown = _json(describe_probe(probe))
        if not can_encode(shown):  # print_result's escapes for unprintable characters are not JSON
            shown = json.dumps(describe_probe(probe), indent=2)
        return print_result(shown, status)
    return print_result("\n".join(show_probe(probe, colours=takes_colours())), status)


def _deployment(settings: Settings, model: str | None) -> Deployment | None:
    """Return the first deployment of *model*, or of the only model. If there is none, print why and return None."""
    if model is None:
        names = list(settings.routes.names)
        if len(names) != 1:
            listed = f"--model is required. Configured models: {', '.join(names[:20])}"
            _refuse(listed if names else "no configured model is available: its variables are not set")
            return None
        model = names[0]
    try:
        return choose_pool(model, settings)[0]
    except ModelUnavailable as error:
        _refuse(f"{model}: {error.for_log}")
    except InvalidRequest as error:
        _refuse(error.message)
    return None


def _profile(settings: Settings, deployment: Deployment) -> Profile:
    """Return the profile by which the histories are chosen.

    Where the deployment's defaults ask the model to think, the profile's rules for thinking apply.
    """
    profile = profile_of(deployment, settings.sanitize)
    return profile if deployment.defaults.get("reasoning_effort") in (None, "none") else profile.thinking()


def _ask_to_start() -> int:
    """Ask the user whether to start. Return 0 to start, or the exit status with which the command ends."""
    if sys.stdin is None or not sys.stdin.isatty():
        return _refuse("there is no terminal to ask at; --yes starts without the question")
    print("Start? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return 0
    print("Nothing was sent.", file=sys.stderr)
    return NOT_ASKED


def _refuse(why: str) -> int:
    print(f"turnright: {why}", file=sys.stderr)
    return UNUSABLE


def _write_report(path: str, probe: Probe) -> bool:
    """Write the report to *path*. If it cannot be written, print why and return False."""
    try:
        Path(path).write_text(f"{_json(describe_differences(probe))}\n", encoding="utf-8")
    except OSError as error:
        _refuse(f"{path}: {error.strerror}")
        return False
    return True


def _json(value: dict[str, object]) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


class _Progress:
    """Shows the number of the current request on standard error, if standard error is a terminal."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._number = 0

    def __call__(self, history: ProbeHistory) -> None:
        self._number += 1
        if sys.stderr is not None and sys.stderr.isatty():
            line = f"request {self._number} of about {self._total}: {history.id}"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Remove the line."""
        if self._number and sys.stderr is not None and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
