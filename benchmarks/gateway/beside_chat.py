"""Measures another format than chat beside chat, as rows of a table, in front of a provider of this machine."""

from __future__ import annotations

import argparse
import asyncio
import io
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from benchmarks.gateway.bodies import Body, bodies
from benchmarks.gateway.calls import serve_provider
from benchmarks.gateway.pairs import Kind, Pairs, find_missed
from benchmarks.gateway.tables import render
from proxy.config import load_settings
from proxy.observability.logs import configure_logs
from proxy.server.serve import serving
from proxy.upstream.select_transport import SelectingUpstream

CHUNK = ", a chunk"
"""The end of the name of a row about chunks."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The *rows* to measure, and the *goals*: the largest ratio of each row and of its chunks.

    *config* returns the settings for a provider's address. *kinds* returns the two requests that a row compares, for
    the chat request of one size.
    """

    rows: Iterable[str]
    goals: Mapping[str, float]
    config: Callable[[str], dict[str, Any]]
    kinds: Callable[[str, Body], tuple[Kind, Kind]]


async def measure(
    comparison: Comparison, rounds: int, requests: int, wanted: str = ""
) -> dict[str, dict[str, float]]:
    """Return the ratios by row and size, for the rows whose names hold *wanted*."""
    configure_logs(io.StringIO())
    kinds = comparison.kinds
    with tempfile.TemporaryDirectory() as scratch, serve_provider(Path(scratch)) as base:
        settings = load_settings(orjson.dumps(comparison.config(base)), {}).settings
        upstream = SelectingUpstream.for_settings(settings)
        async with serving(settings, upstream, host="127.0.0.1", port=0) as server:
            pairs = Pairs(server.port, base)
            sizes = {size: body for size, body in bodies().items() if "damaged" not in size}
            measured: dict[str, dict[str, float]] = {}
            for row in (row for row in comparison.rows if wanted in row):
                measured[row] = {
                    size: await pairs.turns(*kinds(row, body), rounds, requests)
                    for size, body in sizes.items()
                }
                chunk = await pairs.chunks(*kinds(row, sizes["small"]), rounds)
                measured[f"{row}{CHUNK}"] = {"small": chunk}
            return measured


def main(comparison: Comparison, description: str | None, say: Callable[[str], object] = print) -> None:
    """Print the table of *comparison*, and the rows that miss their goals."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--requests", type=int, default=15, help="the requests of each kind in a round")
    parser.add_argument("--only", default="", help="a part of the names of the rows to measure")
    options = parser.parse_args()
    measured = asyncio.run(measure(comparison, options.rounds, options.requests, options.only))
    say(render(measured, ["small", "10k", "100k"], 2))
    if missed := find_missed(measured, comparison.goals, "chat"):
        raise SystemExit("\n".join(missed))
