"""``turnright conform``: measures a gateway with the public corpus.

The command serves a Gemini emulator, which must be configured as the gateway's provider. It sends the corpus to the
gateway, and judges the requests that the gateway sends to the emulator.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import secrets
import sys
from collections.abc import Sequence

import orjson

from proxy.cli.configuration import UNUSABLE
from proxy.cli.gateway_snippets import model_list_snippet
from proxy.cli.measure_gateway import CannotAsk, Gateway, measure, wait_for_gateway
from proxy.cli.option_types import is_address
from proxy.cli.print_result import print_result, takes_colours
from proxy.cli.show_conformance import count_verdicts, show_conformance
from proxy.conformance.case import Case
from proxy.conformance.corpus import load_corpus
from proxy.conformance.judge import Outcome, Verdict
from proxy.emulator import create_emulator, serving
from proxy.emulator.state import STATE
from proxy.observability.logs import configure_logs

_CANNOT_ASK = 3
"""Exit status if the gateway does not answer, or if no request of it arrives at the emulator."""

_ATTEMPTS = 8
"""Requests per case that the emulator's journal keeps. A gateway usually sends fewer for one case, with its retries."""


def run_conform(options: argparse.Namespace) -> int:
    """Print the outcome of each case.

    Returns 0 if all cases hold, and 1 if some do not. Returns 2 if an option cannot be used, and 3 if the gateway
    cannot be asked.
    """
    configure_logs(io.StringIO())  # the outcome is the output
    if not is_address(options.base_url):
        return _fail("--base-url must be an http:// or https:// address, without a user name or a query")
    key = os.environ.get(options.key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        return _fail(f"the key in {options.key_env} has a character that no header may have")
    gateway = Gateway(options.base_url.rstrip("/"), options.model, key, options.timeout)
    try:
        outcomes = asyncio.run(_conform(options, gateway, load_corpus()))
    except CannotAsk as fault:
        return _fail(str(fault), _CANNOT_ASK)
    except OSError as error:
        return _fail(f"the emulator cannot listen on port {options.emulator_port}: {error.strerror}")
    status = 0 if all(outcome.verdict is Verdict.HOLDS for outcome in outcomes) else 1
    return print_result(_as_json(outcomes) if options.json else _as_lines(outcomes), status)


async def _conform(
    options: argparse.Namespace, gateway: Gateway, cases: Sequence[Case]
) -> tuple[Outcome, ...]:
    """Serve the emulator, wait until the gateway answers, send all cases, and return their outcomes."""
    app = create_emulator(journal_size=_ATTEMPTS * len(cases))
    journal = app[STATE].journal
    asks = not options.yes and sys.stdin is not None and sys.stdin.isatty()
    async with serving(options.emulator_host, options.emulator_port, app=app) as address:
        _instruct(gateway, f"{address}/v1beta", len(cases), asks=asks)
        if asks:
            await _wait_for_enter()
        await wait_for_gateway(gateway, options.wait)
        return await measure(gateway, cases, lambda: journal.entries, secrets.token_hex(4))


def _instruct(gateway: Gateway, api_base: str, number: int, *, asks: bool) -> None:
    """Print to standard error how the gateway must be configured, and how many requests it will get."""
    lines = [
        f"The emulator is Gemini at {api_base}. Configure it as the provider of {gateway.model!r}.",
        "For turnright and for the LiteLLM proxy:",
        "",
        model_list_snippet(gateway.model, api_base),
        "",
        f"{number} requests go to {gateway.base_url}, one after the other, with {gateway.timeout:g} s for each.",
    ]
    if asks:
        lines.append("Press Enter once the gateway is up.")
    print("\n".join(lines), file=sys.stderr, flush=True)


async def _wait_for_enter() -> None:
    """Wait for a line of standard input without blocking the emulator.

    With a thread that reads, Ctrl-C would wait for that line.
    """
    loop, pressed = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), pressed.set)
    try:
        await pressed.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    sys.stdin.readline()


def _as_json(outcomes: Sequence[Outcome]) -> str:
    counts = count_verdicts(outcomes)
    result = {
        "total": len(outcomes),
        **counts,
        "cases": [outcome.as_dict() for outcome in outcomes],
    }
    return orjson.dumps(result, option=orjson.OPT_INDENT_2).decode()


def _as_lines(outcomes: Sequence[Outcome]) -> str:
    return show_conformance(outcomes, colours=takes_colours())


def _fail(why: str, status: int = UNUSABLE) -> int:
    print(f"turnright: {why}", file=sys.stderr)
    return status
