"""``turnright demo``: shows broken histories, sent to an emulator directly and through turnright."""

from __future__ import annotations

import argparse
import asyncio
import io
import textwrap

from proxy.cli.comparison import run_comparison
from proxy.cli.comparison.run import Comparison
from proxy.observability.logs import configure_logs

_WIDTH = 110
_INDENT = " " * 13


def run_demo(_: argparse.Namespace) -> int:
    """Print each comparison. Returns 0 if all have the expected outcome, else 1."""
    configure_logs(io.StringIO())  # hides the log, since the comparison is the output
    print("turnright demo: broken histories from public reports, sent straight to a strict Gemini emulator")
    print("and through turnright. No key, no network.\n", flush=True)
    comparisons = asyncio.run(run_comparison())
    for comparison in comparisons:
        print(render_comparison(comparison))
    right = sum(comparison.is_as_expected for comparison in comparisons)
    print(f"{right} of {len(comparisons)} refused when sent straight and answered through turnright.")
    return 0 if right == len(comparisons) else 1


def render_comparison(comparison: Comparison) -> str:
    """Return *comparison* as lines, with a mark for the expected outcome."""
    mark = "ok " if comparison.is_as_expected else "NOT"
    return "\n".join(
        (
            f"{mark} {comparison.name}  {comparison.model}: {comparison.description}",
            f"           {comparison.source}",
            _line("straight", comparison.straight_status, comparison.straight_text),
            _line("turnright", comparison.proxied_status, comparison.proxied_text),
            f"  changes    {comparison.changes or 'none'}",
            "",
        )
    )


def _line(label: str, status: int, text: str) -> str:
    lines = textwrap.wrap(" ".join(text.split()), _WIDTH - len(_INDENT) - 4) or [""]
    shown = lines[:2] + ["…"] * (len(lines) > 2)
    return f"  {label:<10} {status} " + f"\n{_INDENT}    ".join(shown)
