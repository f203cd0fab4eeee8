"""Tests that our own series are rendered as ``prometheus_client`` renders its series."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.openmetrics import exposition as openmetrics

from proxy.observability.metrics import Metrics
from proxy.observability.metrics.gen_ai import GenAiMetrics
from proxy.observability.metrics.labelled import Histograms, counter, histogram
from proxy.observability.metrics.series import HistogramSeries

BOUNDS = (0.0, 0.1, 0.5, 1, 10, 4.0**13)
VALUES = ("", "a", 'b"\\\n', "ä")

Step: TypeAlias = tuple[tuple[str, str], float, bool]
"""Label values, an amount, and whether the amount has an exemplar."""

_labels = st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES))
_amounts = st.one_of(st.sampled_from((*BOUNDS, 0, 3, 0.3, 1e300)), st.floats(0, 1e12), st.integers(0, 2**70))
_any_amounts = st.one_of(_amounts, st.floats(-1e12, 1e12), st.sampled_from((-0.0, math.inf)))


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all exemplars the same timestamp."""
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.25)


def rendered(registry: CollectorRegistry) -> tuple[str, str]:
    """Return a registry in the text format and in OpenMetrics."""
    openmetric: bytes = openmetrics.generate_latest(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry).decode(), openmetric.decode()


def exemplar(step: Step) -> dict[str, str] | None:
    """Return the labels of a step's exemplar."""
    return {"trace_id": f"{abs(hash(step)):x}"} if step[2] else None


@given(st.lists(st.tuples(_labels, _amounts, st.booleans())))
def test_counters_are_rendered_as_by_prometheus_client(steps: Sequence[Step]) -> None:
    """The text format and OpenMetrics both equal the library's output, with exemplars."""
    ours, theirs = CollectorRegistry(auto_describe=True), CollectorRegistry(auto_describe=True)
    mine = counter(ours, "one_total", "What\nis \\ counted.", "first", "second")
    known = Counter("one_total", "What\nis \\ counted.", ("first", "second"), registry=theirs)
    for step in steps:
        mine.labels(*step[0]).inc(step[1], exemplar(step))
        known.labels(*step[0]).inc(step[1], exemplar(step))

    assert rendered(ours) == rendered(theirs)


@given(st.lists(st.tuples(_labels, _any_amounts, st.booleans())))
def test_histograms_are_rendered_as_by_prometheus_client(steps: Sequence[Step]) -> None:
    """Amounts lie on the bounds, between the bounds, and below all bounds."""
    ours, theirs = CollectorRegistry(auto_describe=True), CollectorRegistry(auto_describe=True)
    mine = histogram(ours, "one_seconds", "What is measured.", BOUNDS, "first", "second")
    known = Histogram(
        "one_seconds", "What is measured.", ("first", "second"), buckets=BOUNDS, registry=theirs
    )
    for step in steps:
        mine.labels(*step[0]).observe(step[1], exemplar(step))
        known.labels(*step[0]).observe(step[1], exemplar(step))

    assert rendered(ours) == rendered(theirs)


def test_negative_amount_is_refused_by_a_counter() -> None:
    """A refused amount leaves the counter unchanged."""
    series = counter(CollectorRegistry(), "one_total", "text", "first").labels("a")
    series.inc(2)
    with pytest.raises(ValueError, match="does not go down"):
        series.inc(-1)

    assert series.value == 2


def test_bounds_of_every_histogram_increase() -> None:
    """A bucket is found by bisection, which needs increasing bounds."""
    metrics = Metrics()
    metrics.gen_ai()
    found = [one for group in (metrics, metrics.gen_ai()) for one in vars(group).values()]
    histograms = [one for one in found if isinstance(one, Histograms)]

    assert len(histograms) > len(vars(GenAiMetrics(CollectorRegistry()))) > 1
    for one in histograms:
        bounds = one.make().bounds
        assert list(bounds) == sorted(set(bounds))
        assert bounds[-1] == math.inf


class Word(StrEnum):
    """An enumeration whose members are label values."""

    A = "a"


def test_series_of_equal_label_values_is_one_object() -> None:
    """The values may be texts or members of an enumeration."""
    metric = counter(CollectorRegistry(), "one_total", "text", "first", "second")

    assert metric.labels("a", "b") is metric.labels("a", "b") is metric.labels(Word.A, "b")
    assert metric.labels("a", "b") is not metric.labels("b", "a")
    with pytest.raises(ValueError, match="labels"):
        metric.labels("a")


def test_second_metric_of_a_name_is_refused() -> None:
    """The registry refuses a metric whose series name is already in use."""
    registry = CollectorRegistry(auto_describe=True)
    histogram(registry, "one_seconds", "text", BOUNDS, "first")
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        counter(registry, "one_seconds_count", "text", "first")


def test_series_are_made_once_while_other_threads_make_and_render_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While one thread makes a series, no other thread makes the same series again."""
    registry = CollectorRegistry(auto_describe=True)
    metric = histogram(registry, "one_seconds", "text", BOUNDS, "first")
    make = metric.make

    def make_slowly() -> HistogramSeries:
        time.sleep(0.001)
        return make()

    monkeypatch.setattr(metric, "make", make_slowly)

    def find_all() -> list[HistogramSeries]:
        return [metric.labels(str(number)) for number in range(30)]

    with ThreadPoolExecutor() as pool:
        first, second = pool.submit(find_all), pool.submit(find_all)
        exposition = pool.submit(lambda: [generate_latest(registry) for _ in range(30)])

    assert all(one is other for one, other in zip(first.result(), second.result(), strict=True))
    assert len(exposition.result()) == 30
    assert generate_latest(registry).decode().count("_sum{") == 30
