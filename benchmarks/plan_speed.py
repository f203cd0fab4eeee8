"""Measures the cost of planning cuts: CPU time for 1,000 messages, by the window that they have to fit.

The command is part of ``make bench``. The time to look up the messages' sizes is subtracted, so that ``plan`` is the
planning alone. ``fit`` is the time for planning, rendering and checking, with the sizes.
"""

from __future__ import annotations

import argparse
import platform

from benchmarks.sanitize import History, median_ms
from benchmarks.sessions import agent_session, measure
from sanitizers.budget import PRESETS, CutInput, CutPolicy, FixedTokens, Marks, fit, marks_for
from sanitizers.budget.replay import plan_cuts
from sanitizers.gemini_profiles import GEMINI_3_STRICT
from sanitizers.messages import Message

_SIZES: dict[tuple[object, ...], int] = {}


def size(message: Message) -> int:
    """Return a message's tokens from a table, as a per-message cache would."""
    content = message.get("content")
    key = (message["role"], content, id(message) if content is None or "tool_calls" in message else 0)
    known = _SIZES.get(key)
    if known is None:
        known = _SIZES[key] = measure(message)
    return known


def _row(name: str, history: History, marks: Marks, policy: CutPolicy, runs: int) -> str:
    sized: list[Message] = []

    def noted(message: Message) -> int:
        sized.append(message)
        return size(message)

    plan = plan_cuts(history, noted, marks, policy)
    sizes, _ = median_ms(lambda: [size(message) for message in sized], runs)
    median, p95 = median_ms(lambda: plan_cuts(history, size, marks, policy), runs)
    whole, _ = median_ms(lambda: fit(CutInput(history, GEMINI_3_STRICT, size), marks, policy), runs)
    return (
        f"| {name} | {len(history)} | {len(plan.events)} | {len(plan.gone)} | {len(plan.replaced)} "
        f"| {median - sizes:.2f} | {p95 - sizes:.2f} | {sizes:.2f} | {whole:.2f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="runs per row (default: %(default)s)")
    runs = parser.parse_args().runs
    longest = agent_session(600)[-1][:1_000]
    while longest[-1]["role"] != "tool":
        longest.pop()
    tokens = sum(map(size, longest))
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {tokens:,} tokens, {runs} runs per row; ms.\n"
    )
    print("| window | messages | events | dropped | capped or cleared | plan | p95 | sizes | fit |")
    print("|---|---|---|---|---|---|---|---|---|")
    balanced = PRESETS["balanced"]
    for limit in (1_000_000, 200_000, 128_000, 64_000, 32_000):
        marks = marks_for(balanced, limit=limit, margin=0.08, fixed=FixedTokens(4_000, 2_000))
        print(_row(f"{limit:,}", longest, marks, balanced, runs), flush=True)


if __name__ == "__main__":
    main()
