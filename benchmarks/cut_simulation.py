"""Measures the cost of cutting over an agent's session of 200 requests, for four ways to fit a context window.

Run it with ``make bench-cuts``. A provider caches the messages with which a request and the previous one both begin. It
caches blocks of 128 tokens, from 1,024 tokens on. Cached input costs a quarter or a tenth of the price. These ways are
compared:

    off        nothing is cut (the window would have to be as large as the session)
    sliding    the oldest rounds are dropped, as many as each request needs: what a history limit usually does
    middle-out as much as each request needs is taken from the middle, half of what is kept from either end
    ours       the preset ``balanced``: cut to half when a request would not fit

Tokens are a quarter of the characters of a message's JSON. The compared shares hardly depend on this estimate.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.sanitize import History
from benchmarks.sessions import agent_session, measure
from sanitizers.budget import PRESETS, CutInput, FixedTokens, count_leading_system, fit, marks_for
from sanitizers.budget.units import split_units
from sanitizers.profiles import OPENAI

BLOCK = 128
LEAST_CACHED = 1_024
TOOLS = 4_000
"""Tokens of the tool definitions, which come before the messages in every request."""

_SIZES: dict[int, int] = {}


def size(message: dict[str, Any]) -> int:
    """Return a message's tokens. :func:`main` measures the messages of the session once."""
    return _SIZES.get(id(message)) or measure(message)


Cut = Callable[[History, int], History]
"""Takes a history and the tokens that its turns may have, and returns the messages to send."""


def off(history: History, room: int) -> History:
    """Send everything."""
    return history


def sliding(history: History, room: int) -> History:
    """Drop the oldest rounds until the rest fits. The system message and the first user message stay."""
    lead = count_leading_system(history) + 1
    units = split_units(history, lead)
    turns = sum(map(size, history[1:]))
    while turns > room and len(units) > 1:
        gone = units.pop(0)
        turns -= sum(map(size, history[gone.start : gone.end]))
    return history[:lead] + (history[units[0].start :] if units else [])


def middle_out(history: History, room: int) -> History:
    """Drop whole rounds from the middle, so that the rest fits. At most half of *room* is kept at the beginning."""
    lead = count_leading_system(history)
    units = split_units(history, lead)
    sizes = [sum(map(size, history[unit.start : unit.end])) for unit in units]
    if sum(sizes) <= room:
        return history
    first = kept = 0
    while kept + sizes[first] <= room // 2:
        kept += sizes[first]
        first += 1
    last = len(units)
    while last > first + 1 and kept + sizes[last - 1] <= room:
        last -= 1
        kept += sizes[last]
    return history[: units[first].start] + history[units[last].start :]


def ours(history: History, room: int) -> History:
    """Cut the history with the preset ``balanced``, as the proxy does."""
    system = sum(map(size, history[: count_leading_system(history)]))
    policy = PRESETS["balanced"]
    marks = marks_for(policy, limit=room + system + TOOLS, fixed=FixedTokens(TOOLS, system))
    done = fit(CutInput(history, OPENAI, size), marks, policy)
    if done.verdict != "fits":
        raise SystemExit("a request of the session cannot fit: choose a larger window")
    return list(done.messages)


@dataclass
class Spent:
    """The sums over one session."""

    requests: int = 0
    sent: int = 0
    cached: int = 0
    breaks: int = 0
    largest: int = 0

    def cost(self, price: float) -> float:
        """Return the mean cost of a request in thousands of full-price tokens.

        A cached token costs the share *price*.
        """
        return (self.sent - self.cached * (1 - price)) / self.requests / 1_000


def run(histories: list[History], cut: Cut, room: int) -> Spent:
    """Cut each history of one session with *cut*, and add up the tokens that a provider would count."""
    spent = Spent()
    before: History = []
    for history in histories:
        sent = cut(history, room)
        common = TOOLS if before else 0
        for old, new in zip(before, sent, strict=False):
            if old is not new and old != new:
                spent.breaks += 1
                break
            common += size(new)
        cached = common - common % BLOCK
        spent.requests += 1
        tokens = TOOLS + sum(map(size, sent))
        spent.sent += tokens
        spent.largest = max(spent.largest, tokens)
        spent.cached += cached if cached >= LEAST_CACHED else 0
        before = sent
    return spent


def main() -> None:
    """Print one table for each window, and fail if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--requests", type=int, default=200, help="requests of the session (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=7, help="of the session (default: %(default)s)")
    options = parser.parse_args()
    histories = agent_session(options.requests, options.seed)
    _SIZES.update((id(message), measure(message)) for message in histories[-1])
    print(f"Python {platform.python_version()}, {options.requests} requests, seed {options.seed}; ", end="")
    print(f"{len(histories[-1])} messages, {TOOLS + sum(map(size, histories[-1])):,} tokens at the end.")
    missed = []
    for room in (32_000, 64_000, 100_000):
        print(f"\nroom for {room:,} tokens of turns; cost in thousands of tokens a request\n")
        print("| cut | sent a request | largest | cached | breaks | cost at 25 % | cost at 10 % |")
        print("|---|---|---|---|---|---|---|")
        rows = {cut.__name__: run(histories, cut, room) for cut in (off, sliding, middle_out, ours)}
        for name, spent in rows.items():
            print(
                f"| {name.replace('_', '-')} | {spent.sent / spent.requests:,.0f} | {spent.largest:,} "
                f"| {spent.cached / spent.sent:.1%} | {spent.breaks} "
                f"| {spent.cost(0.25):.1f} | {spent.cost(0.1):.1f} |"
            )
        mine, theirs = rows["ours"], rows["sliding"]
        if room == 64_000 and (mine.cached < 0.95 * mine.sent or mine.cost(0.1) > theirs.cost(0.1) / 2):
            missed.append(room)
    print("\nGoal at 64,000: at least 95 % cached, and at most half of sliding's cost at 10 %: ", end="")
    print("missed." if missed else "met.")
    raise SystemExit(bool(missed))


if __name__ == "__main__":
    main()
