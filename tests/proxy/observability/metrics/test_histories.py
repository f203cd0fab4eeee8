"""Tests of the metrics of changes and cuts in chats."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxy.observability.metrics import Metrics
from tests.proxy.observability.planned import MENDED, PAIRED


def samples(metrics: Metrics) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return the counters of chats that are above zero, by name without prefix and by label values."""
    return {
        (sample.name.removeprefix("turnright_"), tuple(sample.labels.values())): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.value
        and sample.name.startswith(("turnright_changes", "turnright_observed", "turnright_budget"))
    }


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (
            lambda metrics: metrics.count_changes([PAIRED, MENDED, PAIRED], made=True),
            {
                ("changes_total", ("pairing", "inserted", "missing_result")): 2,
                ("changes_total", ("answer_repair", "replaced", "arguments_fenced")): 1,
            },
        ),
        (
            lambda metrics: metrics.count_changes([PAIRED], made=False),
            {("observed_changes_total", ("pairing", "inserted", "missing_result")): 1},
        ),
        (
            lambda metrics: metrics.count_cut("m", {"tool_result": 70, "message": 5}, new=True),
            {
                ("budget_cuts_total", ("m",)): 1,
                ("budget_requests_total", ("m", "cut")): 1,
                ("budget_removed_tokens_total", ("m", "tool_result")): 70,
                ("budget_removed_tokens_total", ("m", "message")): 5,
            },
        ),
        (
            lambda metrics: metrics.count_cut("m", {"message": 5}, new=False),
            {
                ("budget_requests_total", ("m", "cut")): 1,
                ("budget_removed_tokens_total", ("m", "message")): 5,
            },
        ),
    ],
    ids=["made", "observed", "new cut", "repeated cut"],
)
def test_changes_and_cuts_are_counted_by_their_labels(
    count: Callable[[Metrics], None], expected: dict[tuple[str, tuple[str, ...]], float]
) -> None:
    """Observed changes have a counter of their own. A repeated cut does not count as a new cut."""
    metrics = Metrics()
    count(metrics)

    assert samples(metrics) == expected
