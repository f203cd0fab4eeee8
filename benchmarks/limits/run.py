"""``make soak-limits``: limits and spend on three replicas, as a table of goals and figures."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from benchmarks.gateway.machine import describe
from benchmarks.limits import budgets, rates, spend, store_down, waiting
from benchmarks.limits.goals import Figure, missed, render


async def _rates(directory: Path, options: argparse.Namespace) -> list[Figure]:
    return await rates.run(directory, rates.Load(options.seconds))


async def _budgets(directory: Path, options: argparse.Namespace) -> list[Figure]:
    return await budgets.run(directory)


async def _spend(directory: Path, options: argparse.Namespace) -> list[Figure]:
    return await spend.run(directory, spend.Load(options.requests, options.rate, options.seed))


async def _store_down(directory: Path, options: argparse.Namespace) -> list[Figure]:
    return await store_down.run(directory, store_down.Load())


async def _waiting(directory: Path, options: argparse.Namespace) -> list[Figure]:
    return await waiting.run(directory)


PARTS: dict[str, Callable[[Path, argparse.Namespace], Coroutine[Any, Any, list[Figure]]]] = {
    "waiting": _waiting,
    "budgets": _budgets,
    "store-down": _store_down,
    "rates": _rates,
    "spend": _spend,
}


def main() -> int:
    """Print a table for each part, and return 1 where a goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits.run", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=300.0, help="of the loads (default: %(default)s)")
    parser.add_argument("--requests", type=int, default=10_000, help="of the accounts (default: %(default)s)")
    parser.add_argument(
        "--rate", type=float, default=60.0, help="requests a second of the accounts (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of the accounts' requests (default: %(default)s)"
    )
    options = parser.parse_args()
    figures: list[Figure] = []
    print(describe(), flush=True)
    for part in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as scratch:
            found = asyncio.run(PARTS[part](Path(scratch), options))
        print(f"\n{part}\n\n{render(found)}", flush=True)
        figures += found
    print(f"\n{len(missed(figures))} of {len(figures)} goals missed")
    return 1 if missed(figures) else 0


if __name__ == "__main__":
    sys.exit(main())
