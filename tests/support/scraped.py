"""Reads metrics as a scraper sees them, without starting a process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Exemplar

from proxy.observability.metrics import Metrics

Labels: TypeAlias = tuple[tuple[str, str], ...]
Samples: TypeAlias = dict[tuple[str, Labels], float]


def exposition(metrics: Metrics) -> str:
    """Return the metrics in Prometheus' text format, as a scraper gets the metrics."""
    return generate_latest(metrics.registry).decode()


def scrape(metrics: Metrics) -> Samples:
    """Return every sample by its name and its sorted labels."""
    return samples_of(text_string_to_metric_families(exposition(metrics)))


def samples_of(families: Iterable[Metric]) -> Samples:
    """Return the samples of parsed families by their names and sorted labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def exemplars_in(text: str) -> dict[tuple[str, Labels], Exemplar]:
    """Return the exemplars of a valid OpenMetrics text, by the name and labels of their samples."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.exemplar
        for family in read_openmetrics(text)  # type: ignore[no-untyped-call]
        for sample in family.samples
        if sample.exemplar is not None
    }
