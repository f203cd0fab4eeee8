"""The result table for one window, and the goals for the cost of compaction and of cutting to half."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.cuts.provider import Spent

HEADER = (
    "| way | sent a request | largest | cached | breaks | cost at 25 % | cost at 10 % "
    "| summaries, full price | at a fifth | number |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)

CACHED_INPUT = 0.1
"""The price of a cached token for the goals, as a share of the price of an uncached token."""

CHEAP_MODEL = 0.2
"""The price of the summarizing model for the goals, as a share of the price of the conversation's model."""

SHARES = {32_000: 0.85, 64_000: 0.70, 100_000: 0.80}
"""The goals by room: the most that compaction may cost with its summaries, as a share of the cost of ``ours``."""


def render(name: str, spent: Spent) -> str:
    """Return the table's line for the way *name*."""
    return (
        f"| {name} | {spent.sent / spent.requests:,.0f} | {spent.largest:,} | {spent.cached / spent.sent:.1%} "
        f"| {spent.breaks} | {spent.cost(0.25):.1f} | {spent.cost(CACHED_INPUT):.1f} "
        f"| {spent.summaries(1):.2f} | {spent.summaries(CHEAP_MODEL):.2f} | {len(spent.calls)} |"
    )


def judge(room: int, rows: Mapping[str, Spent]) -> list[tuple[str, bool]]:
    """Return each goal for *room* in words, with the figure, and whether the goal is met."""
    cut, compacted = rows["ours"], rows["compaction"]
    cost = compacted.cost(CACHED_INPUT) + compacted.summaries(CHEAP_MODEL)
    share = cost / cut.cost(CACHED_INPUT)
    goals = [
        (
            f"{room:,}: compaction costs at most {SHARES[room]:.0%} of cutting to half: {share:.1%}",
            share <= SHARES[room],
        )
    ]
    if room == 64_000:
        sliding = cut.cost(CACHED_INPUT) / rows["sliding"].cost(CACHED_INPUT)
        cached = {name: rows[name].cached / rows[name].sent for name in ("ours", "compaction")}
        goals += [
            (
                f"{room:,}: compaction has at least 96 % cached: {cached['compaction']:.1%}",
                cached["compaction"] >= 0.96,
            ),
            (
                f"{room:,}: cutting to half has at least 95 % cached: {cached['ours']:.1%}",
                cached["ours"] >= 0.95,
            ),
            (f"{room:,}: cutting to half costs at most half of sliding: {sliding:.1%}", sliding <= 0.5),
        ]
    return goals
