"""Counts the times of requests by model: how long answers took, and their first tokens.

A time is counted in a class of times that differ by 10.5 % at most. A percentile can then be computed from a few
counts, however many requests there were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil, exp, floor, log
from typing import Any

OTHERS = "others"
"""The name under which the models beyond a bucket's limit are counted."""

_MAX_MODELS = 100
"""The largest number of models that one bucket counts by name.

Names come from the configuration, which may have thousands.
"""

_CLASSES = 10
"""The number of classes between a time and e times that time.

Neighbours differ by the factor e ** 0.1, which is 10.5 %.
"""

_SHORTEST_S = 0.0001
"""The shortest time that is distinguished, in seconds."""

_PERCENTILES = (50, 95)


@dataclass(slots=True)
class ModelTimes:
    """The requests for one model. Times are of answered requests only, since most errors are quick."""

    requests: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    """The requests without an answer, by outcome."""

    durations: Counter[int] = field(default_factory=Counter)
    first_tokens: Counter[int] = field(default_factory=Counter)


def count_times(
    counts: dict[str, ModelTimes], model: str, outcome: str, duration: float, first_token: float | None
) -> None:
    """Add one request for *model* to *counts*. The times are in seconds. A whole answer has no *first_token*."""
    times = counts.get(model)
    if times is None:
        name = model if len(counts) < _MAX_MODELS else OTHERS
        times = counts.setdefault(name, ModelTimes())
    times.requests += 1
    if outcome != "ok":
        times.errors[outcome] += 1
        return
    times.durations[_class_of(duration)] += 1
    if first_token is not None:
        times.first_tokens[_class_of(first_token)] += 1


def times_to_json(buckets: Iterable[Mapping[str, ModelTimes]]) -> list[dict[str, Any]]:
    """Return the sums of *buckets* as JSON-ready values: a row for each model, the most asked first."""
    sums: dict[str, ModelTimes] = {}
    for counts in buckets:
        for model, times in counts.items():
            total = sums.setdefault(model, ModelTimes())
            total.requests += times.requests
            total.errors.update(times.errors)
            total.durations.update(times.durations)
            total.first_tokens.update(times.first_tokens)
    return [
        {
            "model": model,
            "requests": total.requests,
            "errors": dict(total.errors.most_common()),
            "duration_ms": _percentiles(total.durations),
            "first_token_ms": _percentiles(total.first_tokens),
        }
        for model, total in sorted(sums.items(), key=lambda one: (-one[1].requests, one[0]))
    ]


def _class_of(seconds: float) -> int:
    return floor(log(max(seconds, _SHORTEST_S)) * _CLASSES)


def _percentiles(counts: Mapping[int, int]) -> dict[str, float] | None:
    """Return the percentiles of the counted times in milliseconds, or None where there are no times."""
    classes, total = sorted(counts), sum(counts.values())
    if not total:
        return None
    found: dict[str, float] = {}
    for percent in _PERCENTILES:
        wanted, seen = ceil(total * percent / 100), 0
        for number in classes:
            seen += counts[number]
            if seen >= wanted:
                found[f"p{percent}"] = round(exp((number + 0.5) / _CLASSES) * 1000, 2)
                break
    return found
