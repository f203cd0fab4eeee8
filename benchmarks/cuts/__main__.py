"""Measures the cost of an agent's session for several ways to fit a context window. Run it with ``make bench-cuts``."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from functools import partial

from benchmarks.cuts.compaction import Compaction
from benchmarks.cuts.evictions import Eviction, middle_out, off, ours, sliding
from benchmarks.cuts.goals import HEADER, SHARES, judge, render
from benchmarks.cuts.peers import Codex, ContextGuru, LangMem
from benchmarks.cuts.provider import Way, run
from benchmarks.cuts.window import Sizes, Window
from benchmarks.sessions import agent_session

WAYS: dict[str, Callable[[Window], Way]] = {
    "off": partial(Eviction, off),
    "sliding": partial(Eviction, sliding),
    "middle-out": partial(Eviction, middle_out),
    "ours": partial(Eviction, ours),
    "compaction": Compaction,
    "compaction at 0.9": partial(Compaction, trigger=0.9),
    "context-guru": ContextGuru,
    "codex": Codex,
    "langmem": LangMem,
}


def main() -> None:
    """Print one table for each window, then the goals, and fail if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--requests", type=int, default=200, help="requests of the session (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=7, help="of the session (default: %(default)s)")
    options = parser.parse_args()
    histories = agent_session(options.requests, options.seed)
    size = Sizes(histories[-1])
    tokens = Window(0, size).tokens(histories[-1])
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {options.requests} requests, "
        f"seed {options.seed}; {len(histories[-1])} messages, {tokens:,} tokens at the end."
    )
    goals = []
    for room in SHARES:
        print(f"\nroom for {room:,} tokens of turns; costs in thousands of tokens a request\n\n{HEADER}")
        window = Window(room, size)
        rows = {}
        for name, way in WAYS.items():
            rows[name] = run(histories, way(window), window)
            print(render(name, rows[name]), flush=True)
        goals += judge(room, rows)
    print("\nGoals, with cached input at 10 % and summaries at a fifth of the price:\n")
    for words, met in goals:
        print(f"{words}: {'met' if met else 'missed'}.")
    raise SystemExit(not all(met for _, met in goals))


if __name__ == "__main__":
    main()
