"""``turnright demo``: shows broken histories, sent to an emulator directly and through turnright.

With ``--serve`` the emulator and the proxy run on after the comparison, and the inspector's page shows the requests.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence

from rich.text import Text

from proxy.cli.command_name import command_name
from proxy.cli.comparison.run import Comparison, comparing, run_comparison
from proxy.cli.print_result import can_encode, takes_colours
from proxy.cli.render_lines import Part, render_lines, two_columns
from proxy.cli.show_comparison import WIDTH, show_comparison
from proxy.observability.logs import configure_logs


def run_demo(options: argparse.Namespace) -> int:
    """Print each comparison. Returns 0 if all have the expected outcome, else 1.

    With ``--serve`` the proxy serves until a signal comes. Returns 1 if its port is not available.
    """
    configure_logs(io.StringIO())  # hides the log, since the comparison is the output
    _print(
        [
            Text("turnright demo", "bold"),
            "Broken histories from public reports, sent straight to a strict Gemini emulator and through turnright.",
            "No key, no network.",
        ]
    )
    try:
        if options.serve:
            return asyncio.run(_serve_demo(options.port))
        comparisons = asyncio.run(run_comparison())
    except OSError as error:
        print(f"turnright: cannot listen: {error.strerror}", file=sys.stderr)
        return 1
    status = _print_comparisons(comparisons)
    _print(_next_steps(command_name()))
    return status


async def _serve_demo(port: int) -> int:
    """Compare, print the page's address, and serve until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with comparing(port=port) as compared:
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, stop.set)
        status = _print_comparisons(compared.comparisons)
        _print(_addresses(compared.base_url, len(compared.comparisons)))
        await stop.wait()
    return status


def _print_comparisons(comparisons: Sequence[Comparison]) -> int:
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
    for comparison in comparisons:
        _print([], show_comparison(comparison, colours=takes_colours(), width=width))
    right = sum(comparison.is_as_expected for comparison in comparisons)
    verdict = f"{right} of {len(comparisons)} refused when sent straight and answered through turnright."
    _print(
        [Text("─" * width, "dim"), Text(verdict, "bold green" if right == len(comparisons) else "bold red")]
    )
    return 0 if right == len(comparisons) else 1


def _next_steps(command: str) -> Iterator[Part]:
    """Yield three lines on what to do next. *command* is the command as the user started it."""
    yield ""
    yield "What to do next:"
    yield two_columns(
        [
            (f"{command} demo --serve ", "shows the same histories on a page in the browser, step by step"),
            (
                f"GEMINI_API_KEY=... {command} serve ",
                "serves Gemini's models, or those of any other key that is set",
            ),
            (f"{command} init ", "writes a first configuration from the keys that are set"),
        ],
        width=0,
        indent=2,
    )


def _addresses(base_url: str, number: int) -> Iterator[Part]:
    yield ""
    yield two_columns(
        [
            (
                "page",
                Text.assemble(
                    (base_url.removesuffix("/v1") + "/ui", "bold cyan"),
                    f"  (the {number} requests are under Recent)",
                ),
            ),
            (
                "for clients",
                Text.assemble((base_url, "bold cyan"), "  (any key; the model gemini/gemini-3.6-flash)"),
            ),
            ("", "Ctrl-C ends both."),
        ],
        width=14,
        indent=2,
    )


def _print(parts: Sequence[Part] | Iterator[Part], text: str | None = None) -> None:
    """Print *text*, or *parts* as lines. ASCII replaces rules and ellipses where standard output lacks them."""
    shown = "\n".join(render_lines(parts, colours=takes_colours())) if text is None else text
    if not can_encode("─"):
        shown = shown.replace("─", "-").replace("…", "...")
    print(shown, flush=True)
