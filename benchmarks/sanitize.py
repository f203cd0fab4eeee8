"""Measures the CPU time of sanitizing legal and damaged histories, by length and by kind of damage.

Run it with ``make bench``. Each figure is the median over the runs of one process. The ratio compares it with decoding
the same history's JSON in the same run, which every proxy has to do.
"""

from __future__ import annotations

import argparse
import copy
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import orjson

from sanitizers import Profile, sanitize
from sanitizers.gemini_profiles import GEMINI_3_STRICT
from sanitizers.profiles import OPENAI

History = list[dict[str, Any]]

_CHARACTERS = 1_333
"""Characters of text in a message, so that 300 messages hold about 100,000 tokens at four characters a token."""


def legal_history(length: int) -> History:
    """Return a legal agent history of *length* messages: rounds of a user, a call with its result, an answer."""
    history: History = [{"role": "system", "content": "You are an agent. " * 20}]
    number = 0
    while len(history) < length:
        number += 1
        body = (f"{number} some words of a message, " * 60)[:_CHARACTERS]
        arguments = orjson.dumps({"path": f"/src/module_{number}.py", "content": body}).decode()
        call = {
            "id": f"call_{number:08d}",
            "type": "function",
            "function": {"name": "write_file", "arguments": arguments},
        }
        history += [
            {"role": "user", "content": body},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": body},
            {"role": "assistant", "content": body},
        ]
    history = history[: length - 1]
    while history[-1]["role"] != "assistant" or "tool_calls" in history[-1]:
        history.pop()
    return [*history, {"role": "user", "content": "Go on."}]


def _without_results(history: History) -> History:
    return [m for at, m in enumerate(history) if m["role"] != "tool" or at % 3]


def _late_results(history: History) -> History:
    late = [m for at, m in enumerate(history) if m["role"] == "tool" and at % 3 == 0]
    return [m for m in history if m not in late] + late


def _orphans(history: History) -> History:
    return [
        {**m, "tool_call_id": f"gone_{at}"} if m["role"] == "tool" and at % 3 == 0 else m
        for at, m in enumerate(history)
    ]


def _null_ids(history: History) -> History:
    damaged = copy.deepcopy(history)
    for message in damaged:
        for call in message.get("tool_calls", ()):
            call["id"] = None
        if message["role"] == "tool":
            message["tool_call_id"] = None
    return damaged


def _broken_arguments(history: History) -> History:
    damaged = copy.deepcopy(history)
    for message in damaged:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = call["function"]["arguments"][:-1]
    return damaged


def _everything(history: History) -> History:
    damaged = _broken_arguments(_late_results(_orphans(history)))
    return [*damaged[1:], {"role": "assistant", "content": ""}, {"role": "system", "content": "late"}]


DAMAGES: dict[str, Callable[[History], History]] = {
    "legal": lambda history: history,
    "every third result missing": _without_results,
    "every third result late": _late_results,
    "every third result orphaned": _orphans,
    "all ids null": _null_ids,
    "all arguments broken": _broken_arguments,
    "head cut, all of the above but null ids": _everything,
}


def median_ms(work: Callable[[], object], runs: int) -> tuple[float, float]:
    """Return the median and the 95th percentile of *work*'s CPU time, in milliseconds."""
    samples = []
    for _ in range(runs):
        start = time.process_time_ns()
        work()
        samples.append((time.process_time_ns() - start) / 1e6)
    samples.sort()
    return statistics.median(samples), samples[int(len(samples) * 0.95)]


def _row(name: str, history: History, profile: Profile, runs: int) -> str:
    body = orjson.dumps(history)
    decode, _ = median_ms(lambda: orjson.loads(body), runs)
    median, p95 = median_ms(lambda: sanitize(history, profile), runs)
    changes = len(sanitize(history, profile).changes)
    return (
        f"| {profile.name} | {len(history)} | {len(body) / 4000:.0f}k | {name} | {changes} "
        f"| {median:.2f} | {p95:.2f} | {median / decode:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="runs per row (default: %(default)s)")
    runs = parser.parse_args().runs
    print(f"Python {platform.python_version()}, {platform.machine()}, {runs} runs per row, CPU time in ms.\n")
    print("| profile | messages | tokens | damage | changes | median | p95 | times JSON decode |")
    print("|---|---|---|---|---|---|---|---|")
    for profile in (GEMINI_3_STRICT, OPENAI):
        for length in (10, 100, 300, 1_000):
            print(_row("legal", legal_history(length), profile, runs))
        for name, damage in DAMAGES.items():
            if name != "legal":
                print(_row(name, damage(legal_history(300)), profile, runs))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
