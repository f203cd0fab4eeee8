"""Compares the time of estimating a history of 100,000 tokens with the time of counting it exactly.

The command is part of ``make bench``. Each figure is the median CPU time of the runs of one process. Every run gets the
history as new string objects, as a new request brings it. *Resent* means that all messages but the last were seen
before.
"""

from __future__ import annotations

import argparse
import importlib
import platform
from collections.abc import Callable

import orjson

from benchmarks.agent_histories import AGENTS, agent_history
from benchmarks.estimate_accuracy import texts_of
from benchmarks.real_tokenizers import bundled_openai
from benchmarks.sanitize import History, median_ms
from proxy.upstream.litellm.environment import quiet_litellm
from sanitizers.budget.estimate import CACHED_TEXTS, Estimator, count_text
from sanitizers.budget.families import O200K
from sanitizers.budget.text_cache import TextCache
from sanitizers.budget.upper_bound import upper_bound

_CHARACTERS = {"Python agent": 420_000, "C agent": 390_000, "operations agent": 330_000}
"""Length of each history's JSON, for about 100,000 of OpenAI's tokens."""

_SLOW_RUNS = 5
"""The number of runs for the ways of counting that take a hundred times as long."""


def fresh_estimator() -> Estimator:
    """Return an estimator whose cache of texts is empty."""
    return Estimator(O200K, TextCache(lambda text: count_text(text, O200K), CACHED_TEXTS))


def copies(history: History, number: int) -> list[History]:
    """Return *number* histories that are equal to *history* and share no string with it."""
    body = orjson.dumps(history)
    return [orjson.loads(body) for _ in range(number)]


def each(work: Callable[[History], object], histories: list[History]) -> Callable[[], object]:
    """Return a function that does *work* on the next of *histories* at each call."""
    waiting = iter(histories)
    return lambda: work(next(waiting))


def measured(history: History, runs: int) -> dict[str, tuple[int, float, float]]:
    """Return each way of counting, with its result and the median and 95th percentile of its CPU time in ms."""
    encoding = bundled_openai("o200k_base")
    litellm = importlib.import_module("litellm")

    def exact(messages: History) -> int:
        return sum(len(encoding.encode_ordinary(text)) for text in texts_of(messages))

    def by_litellm(messages: History) -> int:
        tokens: int = litellm.token_counter(model="gpt-4o", messages=messages)
        return tokens

    def cold(messages: History) -> int:
        return fresh_estimator().history_tokens(messages)

    def bounded(messages: History) -> int:
        return upper_bound(O200K, messages)

    known = fresh_estimator()
    known.history_tokens(history)
    resent = copies(history, runs + 1)
    for number, messages in enumerate(resent):
        messages[-1] = {"role": "user", "content": f"{number}: go on, and keep the tests as they are. " * 20}
    ways: dict[str, tuple[Callable[[History], int], list[History]]] = {
        "upper bound": (bounded, copies(history, runs + 1)),
        "estimate, cold": (cold, copies(history, runs + 1)),
        "estimate, resent": (known.history_tokens, resent),
        "tiktoken o200k": (exact, copies(history, _SLOW_RUNS + 1)),
        "litellm.token_counter": (by_litellm, copies(history, _SLOW_RUNS + 1)),
    }
    return {
        name: (way(first), *median_ms(each(way, rest), len(rest)))
        for name, (way, (first, *rest)) in ways.items()
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50, help="runs per row (default: %(default)s)")
    runs = parser.parse_args().runs
    quiet_litellm()
    print(f"Python {platform.python_version()}, {platform.machine()}, {runs} runs per row, CPU time in ms.\n")
    print("| history | messages | characters | way | tokens | median | p95 |")
    print("|---|---|---|---|---|---|---|")
    for kind in AGENTS:
        history = agent_history(kind, 1, _CHARACTERS[kind])
        characters = sum(map(len, texts_of(history)))
        for way, (tokens, median, p95) in measured(history, runs).items():
            print(
                f"| {kind} | {len(history)} | {characters // 1000}k | {way} | {tokens} | {median:.2f} | {p95:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
