"""Tests that the times by model are percentiles of answered requests, right to within 10 %."""

from __future__ import annotations

import pytest

from proxy.observability.model_times import OTHERS, ModelTimes, count_times, times_to_json


def counted(
    *requests: tuple[str, float, float | None, str], into: dict[str, ModelTimes] | None = None
) -> dict[str, ModelTimes]:
    """Return the counts of *requests*, each with a model, a duration, a first token's time and an outcome."""
    counts = {} if into is None else into
    for model, duration, first_token, outcome in requests:
        count_times(counts, model, outcome, duration, first_token)
    return counts


def test_percentiles_are_near_the_times() -> None:
    """The median and the 95th percentile are right to within 10 %."""
    [row] = times_to_json([counted(*(("m", number / 10, number / 100, "ok") for number in range(1, 101)))])

    assert (row["model"], row["requests"], row["errors"]) == ("m", 100, {})
    assert row["duration_ms"] == {"p50": pytest.approx(5000, rel=0.1), "p95": pytest.approx(9500, rel=0.1)}
    assert row["first_token_ms"] == {"p50": pytest.approx(500, rel=0.1), "p95": pytest.approx(950, rel=0.1)}


def test_errors_are_counted_and_their_times_are_not() -> None:
    """A refusal after a millisecond says nothing about a model's speed. A model without an answer has no times."""
    mixed = counted(
        ("m", 2.0, None, "ok"), ("m", 0.001, None, "rate_limit"), ("gone", 0.001, 0.001, "timeout")
    )
    rows = {row["model"]: row for row in times_to_json([mixed])}

    assert (rows["m"]["requests"], rows["m"]["errors"]) == (2, {"rate_limit": 1})
    assert rows["m"]["duration_ms"]["p50"] == pytest.approx(2000, rel=0.1)
    assert rows["m"]["first_token_ms"] is None
    assert (rows["gone"]["errors"], rows["gone"]["duration_ms"], rows["gone"]["first_token_ms"]) == (
        {"timeout": 1},
        None,
        None,
    )


def test_buckets_are_summed_and_the_most_asked_model_is_first() -> None:
    """Models with equal numbers of requests are in the order of their names. The sum does not change the buckets."""
    first = counted(("b", 1.0, None, "ok"), ("a", 1.0, None, "ok"))
    second = counted(("c", 1.0, None, "ok"), ("c", 1.0, None, "timeout"))
    for _ in range(2):
        rows = times_to_json([first, second, {}])
        assert [(row["model"], row["requests"]) for row in rows] == [("c", 2), ("a", 1), ("b", 1)]


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 1e-9, 1e9])
def test_any_time_has_a_class(seconds: float) -> None:
    """A time that is zero, negative or very large is counted as well."""
    [row] = times_to_json([counted(("m", seconds, seconds, "ok"))])

    assert row["duration_ms"] == row["first_token_ms"]
    assert row["duration_ms"]["p50"] > 0


def test_models_that_are_too_many_are_counted_together() -> None:
    """The memory of a bucket is bounded, and no request is lost. A known model keeps its row."""
    counts = counted(*((f"m{number}", 1.0, None, "ok") for number in range(300)))
    counted(("m0", 1.0, None, "ok"), into=counts)
    rows = {row["model"]: row["requests"] for row in times_to_json([counts])}

    assert len(rows) <= 101
    assert sum(rows.values()) == 301
    assert (rows["m0"], rows[OTHERS]) == (2, 200)
