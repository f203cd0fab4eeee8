"""Compares token estimates with real tokenizers, on growing histories that no weight was fitted on.

Run it with ``make bench-tokens``. A history is measured after every round, as an agent would send it. Only the tokens
of texts (contents, names, arguments) are compared, since no tokenizer tells what providers add. The tables also show
the rule of four characters per token, and ``litellm.token_counter`` with a model of the family. The last table treats
each tokenizer as that of an unknown model, of which only the reported usage is known.
"""

from __future__ import annotations

import argparse
import importlib
import math
import platform
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from benchmarks.agent_histories import AGENTS, MIXES, rounds_of
from benchmarks.real_tokenizers import Count, offline_tokenizers
from benchmarks.sanitize import History
from proxy.upstream.litellm.environment import quiet_litellm
from sanitizers.budget import calibration
from sanitizers.budget.estimate import Estimator
from sanitizers.budget.families import FAMILIES, UNKNOWN, Family, Overheads

MODELS = {
    "o200k": "gpt-4o",
    "cl100k": "gpt-4",
    "gemini": "gemini/gemini-2.5-pro",
    "claude2": "claude-2.1",
    "claude3": "claude-sonnet-4-5",
    "claude48": "claude-opus-4-8",
    "llama3": "llama-3.3-70b-versatile",
    "qwen3": "qwen3-32b",
    "deepseek": "deepseek-chat",
    "mistral": "mistral-large-latest",
}
"""A model of each family, for ``litellm.token_counter``."""

_BARE = Overheads(per_request=0, per_message=0, per_call=0, per_result=0, with_tools=0)


def texts_of(piece: History) -> Iterator[str]:
    """Yield every text in the messages of *piece* that a model reads."""
    for message in piece:
        if message["content"]:
            yield message["content"]
        for call in message.get("tool_calls", ()):
            yield call["function"]["name"]
            yield call["function"]["arguments"]


def grown(values: Sequence[float]) -> list[float]:
    """Return the running totals of *values*, one for each round."""
    return list(accumulate(values))


def errors_of(estimated: Sequence[float], real: Sequence[float]) -> list[float]:
    """Return the relative error after each round."""
    return [one / other - 1 for one, other in zip(estimated, real, strict=True)]


def shown(errors: Sequence[float]) -> str:
    """Return the mean and the 95th percentile of the absolute errors, and the signed mean, in percent."""
    sizes = sorted(map(abs, errors))
    p95 = sizes[math.ceil(len(sizes) * 0.95) - 1]
    return f"{statistics.fmean(sizes):5.1%} / {p95:5.1%} / {statistics.fmean(errors):+6.1%}".replace("%", "")


class Measured:
    """One history's tokens after each round: real, estimated, and by the other rules."""

    def __init__(self, pieces: Sequence[History], family: Family, count: Count, litellm: Any) -> None:
        bare = Estimator(replace(family, overheads=_BARE))
        unknown = Estimator(replace(UNKNOWN, overheads=_BARE))
        texts = [list(texts_of(piece)) for piece in pieces]
        model = MODELS[family.name]
        self.real = grown([sum(map(count, piece)) for piece in texts])
        self.estimated = grown([bare.history_tokens(piece) for piece in pieces])
        self.unknown = grown([unknown.history_tokens(piece) for piece in pieces])
        self.quarter = grown([sum(map(len, piece)) / 4 for piece in texts])
        self.litellm = grown(
            [sum(litellm.token_counter(model=model, text=text) for text in piece) for piece in texts]
        )

    def after_one_usage(self) -> list[float]:
        """Return the errors of an unknown model's later requests, when only the first usage is known."""
        state = calibration.initial(UNKNOWN)
        for at, (estimated, real) in enumerate(zip(self.unknown, self.real, strict=True)):
            state = calibration.observe(state, estimated, real)
            if state.observations:
                rest = [state.live * tokens for tokens in self.unknown[at + 1 :]]
                return errors_of(rest, self.real[at + 1 :])
        raise AssertionError("no request was large enough to tell")

    def after_every_usage(self) -> list[float]:
        """Return the errors of an unknown model's later requests.

        Each estimate uses all usage that was reported before.
        """
        state, errors = calibration.initial(UNKNOWN), []
        for estimated, real in zip(self.unknown, self.real, strict=True):
            if state.observations:
                errors.append(state.live * estimated / real - 1)
            state = calibration.observe(state, estimated, real)
        return errors


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=80, help="rounds of a history (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=2, help="histories of each kind (default: %(default)s)")
    parser.add_argument(
        "--tokenizer",
        action="append",
        default=[],
        metavar="FAMILY=FILE",
        help="a tokenizer.json to measure a family against (gemini, llama3)",
    )
    options = parser.parse_args()
    files = {family: Path(file) for family, _, file in (item.partition("=") for item in options.tokenizer)}
    tokenizers = offline_tokenizers(files)
    quiet_litellm()
    litellm = importlib.import_module("litellm")
    rows = {family.name: family for family in FAMILIES}

    print(
        f"Python {platform.python_version()}, {options.seeds} histories a kind, {options.rounds} rounds each.\n"
        "Error after each round, in percent: mean size / 95th percentile of the size / signed mean.\n"
    )
    print("| family | history | tokens | estimator | characters / 4 | litellm.token_counter |")
    print("|---|---|---|---|---|---|")
    everything: dict[str, dict[str, list[Measured]]] = {}
    for name, count in tokenizers.items():
        for kind in MIXES:
            found = [
                Measured(list(islice(rounds_of(kind, seed), options.rounds)), rows[name], count, litellm)
                for seed in range(options.seeds)
            ]
            everything.setdefault(name, {})[kind] = found
            cells = [
                shown([error for one in found for error in errors_of(getattr(one, what), one.real)])
                for what in ("estimated", "quarter", "litellm")
            ]
            tokens = sum(one.real[-1] for one in found) / len(found) / 1_000
            print(f"| {name} | {kind} | {tokens:.0f}k | {' | '.join(cells)} |", flush=True)

    print("\nThe agents' histories together; last, the share of requests within 10 %.\n")
    print("| family | estimator | characters / 4 | litellm.token_counter |")
    print("|---|---|---|---|")
    for name, kinds in everything.items():
        agents = [one for kind in AGENTS for one in kinds[kind]]
        cells = [
            with_share([error for one in agents for error in errors_of(getattr(one, what), one.real)])
            for what in ("estimated", "quarter", "litellm")
        ]
        print(f"| {name} | {' | '.join(cells)} |")

    print(
        "\nThe same tokenizers as an unknown model's: after the first request's usage alone, and after each.\n"
    )
    print("| tokenizer | history | after one | after each |")
    print("|---|---|---|---|")
    for name, kinds in everything.items():
        for kind in AGENTS:
            once = with_share([error for one in kinds[kind] for error in one.after_one_usage()])
            each = with_share([error for one in kinds[kind] for error in one.after_every_usage()])
            print(f"| {name} | {kind} | {once} | {each} |")


def with_share(errors: Sequence[float]) -> str:
    """Return the text of :func:`shown`, followed by the share of the errors that are within 10 %."""
    return f"{shown(errors)} / {sum(abs(error) <= 0.10 for error in errors) / len(errors):.0%}"


if __name__ == "__main__":
    main()
