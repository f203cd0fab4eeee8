"""Tests that a real Prometheus scrapes the running process, evaluates the rules, and fills the panels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import pytest

from tests.ops.driving import TRACE_ID, Driver, running
from tests.ops.prometheus_server import Prometheus, scraping, until
from tests.ops.written_dashboard import panel_expressions
from tests.ops.written_rules import RULES, alerts, recorded, rules

NOT_DRIVEN = {
    "Observed, not made A",
    "Refused by the limits of keys A",
    "Used share of spend limits A",
    "Violations sent A",
}
"""Queries of panels without data: the driver's requests cause no such events, and its process has no keys."""


@dataclass(frozen=True)
class Watched:
    """A process that got all of the driver's requests twice while Prometheus scraped it."""

    prometheus: Prometheus
    driver: Driver


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """Run Prometheus and the process that it scrapes, and send the driver's requests to the process twice.

    A rate needs a change between two scrapes. The first requests create a series, and the second requests change its
    value.
    """
    directory = tmp_path_factory.mktemp("prometheus")
    with ExitStack() as stack:
        served, driver = stack.enter_context(running(directory))
        prometheus = stack.enter_context(scraping(directory, served.origin, RULES))
        for number in (1, 2):
            assert until(lambda: prometheus.query("turnright_ready == 1"))
            driver.drive()
            count = f'turnright_upstream_attempts_total{{outcome="cancelled"}} == {number}'
            assert until(partial(prometheus.query, count))
        yield Watched(prometheus, driver)


def test_the_process_is_scraped(watched: Watched) -> None:
    """Prometheus sees the process as up. Its count of requests to one model is that of the process's own metrics."""
    told = watched.driver.scrape()
    [up] = watched.prometheus.query("up")
    [answered] = watched.prometheus.query('turnright_requests_total{model="narrow", outcome="ok"} > 0')

    assert up["value"][1] == "1"
    assert up["metric"]["namespace"] == "llm"
    assert answered["value"][1] == "2"
    assert 'turnright_requests_total{model="narrow",outcome="ok",route="/v1/chat/completions"} 2.0' in told


def test_the_rules_are_evaluated(watched: Watched) -> None:
    """Every rule is loaded, and no rule has failed."""
    loaded = until(lambda: [rule for rule in watched.prometheus.rules() if rule["health"] != "unknown"])

    assert {(rule["health"], rule.get("lastError", "")) for rule in loaded} == {("ok", "")}
    assert sorted(rule["name"] for rule in watched.prometheus.rules()) == sorted(
        rule.get("record") or rule["alert"] for rule in rules()
    )


def test_recorded_series_are_there(watched: Watched) -> None:
    """Each recorded series has a value and its rule's labels, except where only kube-state-metrics has the data."""
    foreign = {rule["record"] for rule in rules() if "record" in rule and "kube_" in rule["expr"]}
    for name in sorted(recorded().keys() - foreign):
        found = until(partial(_with_value, watched.prometheus, name))

        assert found, name
        for labels in found:
            assert labels.keys() - {"__name__"} == recorded()[name].keys(), name


def test_alert_of_a_refused_key_is_pending_and_others_are_quiet(watched: Watched) -> None:
    """The alert of a refused key is pending or fires. The alerts of an absent or unready process are quiet."""
    until(lambda: "TurnrightProviderKeyRefused" in watched.prometheus.alerts())
    states = watched.prometheus.alerts()

    assert states["TurnrightProviderKeyRefused"] in ("pending", "firing")
    assert states.keys() <= alerts().keys()
    assert states.keys().isdisjoint({"TurnrightAbsent", "TurnrightTargetDown", "TurnrightNoneReady"})


@pytest.mark.parametrize("place", panel_expressions())
def test_panels_have_data(watched: Watched, place: str) -> None:
    """Each query of the dashboard returns data, except for the panels in :data:`NOT_DRIVEN`."""
    ask = partial(watched.prometheus.query, panel_expressions()[place])

    assert ask() == [] if place in NOT_DRIVEN else until(ask)


def test_exemplars_lead_to_traces(watched: Watched) -> None:
    """A request's duration bucket has an exemplar with the request's trace id."""
    told = watched.driver.scrape("application/openmetrics-text;version=1.0.0")
    assert told.endswith("# EOF\n")
    metric = 'turnright_request_duration_seconds_bucket{model="steady"}'
    found = watched.prometheus.exemplars(metric)
    traces = {exemplar["labels"]["trace_id"] for series in found for exemplar in series["exemplars"]}

    assert traces == {TRACE_ID}


def _with_value(prometheus: Prometheus, name: str) -> list[dict[str, str]]:
    found = prometheus.query(name)
    return [one["metric"] for one in found if not math.isnan(float(one["value"][1]))]
