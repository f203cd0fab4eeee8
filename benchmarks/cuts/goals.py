"""The table of one window, and the goals."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.cuts.provider import Spent

HEADER = (
    "| way | sent a request | largest | cached | breaks | cost at 25 % | cost at 10 % "
    "| summaries, full price | at a fifth | number |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)

CACHED_INPUT = 0.1
"""The price of a cached token for the goals, in prices of an uncached one."""

CHEAP_MODEL = 0.2
"""The price of the summarizing model for the goals, in prices of the conversation's model."""

ROOMS = (32_000, 64_000, 100_000)
"""The rooms for turns that are compared, in tokens."""


def render(name: str, spent: Spent) -> str:
    """Return the table's line for the way *name*."""
    return (
        f"| {name} | {spent.sent / spent.requests:,.0f} | {spent.largest:,} | {spent.cached / spent.sent:.1%} "
        f"| {spent.breaks} | {spent.cost(0.25):.1f} | {spent.cost(CACHED_INPUT):.1f} "
        f"| {spent.summaries(1):.2f} | {spent.summaries(CHEAP_MODEL):.2f} | {len(spent.calls)} |"
    )


def judge(room: int, rows: Mapping[str, Spent]) -> list[tuple[str, bool]]:
    """Return each goal for *room* in words, with the figure, and whether the goal is met."""
    if room != 64_000:
        return []
    cut = rows["ours"]
    sliding = cut.cost(CACHED_INPUT) / rows["sliding"].cost(CACHED_INPUT)
    cached = cut.cached / cut.sent
    return [
        (f"{room:,}: cutting to half has at least 95 % cached: {cached:.1%}", cached >= 0.95),
        (f"{room:,}: cutting to half costs at most half of sliding: {sliding:.1%}", sliding <= 0.5),
    ]
