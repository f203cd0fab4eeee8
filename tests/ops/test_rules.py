"""Tests the Prometheus rules: promtool accepts them, and they use only metrics and labels that exist."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.ops.promql import Selector, read_grouping, read_selectors
from tests.ops.promtool import promtool
from tests.ops.vocabulary import (
    FAILED,
    FREE,
    NOT_FAILED,
    OUTCOMES,
    TARGET_LABELS,
    find_faults,
    labels_of_metrics,
)
from tests.ops.written_rules import FOREIGN, RULES, RULES_TEST, alerts, recorded, rules

SHORT_S, LONG_S = 60, 60 * 60
"""Seconds that an alert may wait at least and at most.

A shorter wait makes alerts flap. A longer wait delays alerts too much.
"""

TEMPLATE = re.compile(r"\{\{ (?:\$labels\.\w+|\$value \| humanize(?:1024|Percentage|Duration)?) \}\}")


def test_promtool_takes_the_rules() -> None:
    """``promtool`` parses the rules, and its linter reports nothing."""
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", RULES)

    assert (0, "") == (done.returncode, done.stderr), done.stdout


def test_the_unit_tests_pass() -> None:
    done = promtool("test", "rules", RULES_TEST)

    assert done.returncode == 0, done.stdout + done.stderr


@functools.cache
def unit_tests() -> list[dict[str, Any]]:
    """Return the unit tests."""
    tests: list[dict[str, Any]] = yaml.safe_load(RULES_TEST.read_bytes())["tests"]
    return tests


def asked_alerts() -> Iterator[tuple[str, bool, str]]:
    """Yield each alert that a unit test checks, whether the test expects it to fire, and the test's name."""
    for test in unit_tests():
        for asked in test.get("alert_rule_test", ()):
            yield asked["alertname"], bool(asked["exp_alerts"]), test["name"]


@pytest.mark.parametrize("name", alerts())
def test_every_alert_has_unit_tests(name: str) -> None:
    """Each alert is quiet and fires within one test, and never fires in another."""
    asked = [(expected, test) for alert, expected, test in asked_alerts() if alert == name]
    loud = {test for expected, test in asked if expected}

    assert loud
    assert loud & {test for expected, test in asked if not expected}
    assert {test for _, test in asked} - loud
    assert all(test.startswith(f"{name} {'fires' if test in loud else 'is quiet'} ") for _, test in asked)


def test_every_recorded_series_has_a_unit_test() -> None:
    """At least one unit test gives the values of each recorded series."""
    asked = {
        selector.metric
        for test in unit_tests()
        for one in test.get("promql_expr_test", ())
        if one["exp_samples"]
        for selector in read_selectors(one["expr"])
    }

    assert recorded().keys() == asked


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.get("record") or rule["alert"])
def test_rules_name_what_there_is(rule: dict[str, Any]) -> None:
    """Every metric, label and label value of an expression is the process's own, a recorded one, or in ``FOREIGN``."""
    selectors = read_selectors(rule["expr"])

    assert find_faults(selectors, {**recorded(), **FOREIGN}) == []
    assert selectors
    known = {label for selector in selectors for label in _labels_of(selector)}
    assert read_grouping(rule["expr"]) <= known | TARGET_LABELS


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("rate(turnright_request_total[5m])", "no metric turnright_request_total"),
        ("turnright_ready > 0 and turnright_reedy", "no metric turnright_reedy"),
        ('turnright_shed_total{model="unknown"}', "no label model on turnright_shed_total"),
        ('turnright_requests_total{outcome="fine"}', "turnright_requests_total has no outcome fine"),
        ('turnright_requests_total{outcome=~"ok|fine"}', "turnright_requests_total has no outcome fine"),
        ('turnright_requests_total{outcome!~"fine.*"}', "turnright_requests_total has no outcome fine.*"),
        (
            'sum by (model) (rate(turnright_retries_total{job="x", reason="upstream_error"}[5m]))',
            "turnright_retries_total has no reason upstream_error",
        ),
        ('turnright_turn_events_total{event="loops"}', "turnright_turn_events_total has no event loops"),
        ('turnright_tokens_total{type="prompt"}', "turnright_tokens_total has no type prompt"),
        (
            'turnright_overhead_seconds_bucket{le="0.2"}',
            "turnright_overhead_seconds_bucket has no le 0.2",
        ),
        (
            'job_model_outcome:turnright_upstream_attempts:ratio_rate15m{outcome="overloded"}',
            "job_model_outcome:turnright_upstream_attempts:ratio_rate15m has no outcome overloded",
        ),
        (
            'job_route:turnright_overhead_seconds:histogram_quantile_rate5m{quantile="0.9"}',
            "job_route:turnright_overhead_seconds:histogram_quantile_rate5m has no quantile 0.9",
        ),
    ],
)
def test_what_is_not_there_is_found(expression: str, fault: str) -> None:
    """``find_faults`` names a misspelt metric, label or value anywhere in an expression."""
    assert find_faults(read_selectors(expression), {**recorded(), **FOREIGN}) == [fault]


def test_unit_tests_name_what_there_is() -> None:
    """The unit tests' input series exist in a real scrape or in ``FOREIGN``.

    Only model and container names, versions and target labels have invented values.
    """
    series = {written["series"] for test in unit_tests() for written in test["input_series"]}
    selectors = [selector for one in sorted(series) for selector in read_selectors(one)]

    assert find_faults(selectors, FOREIGN, free=FREE | {"model", "container"}) == []
    for selector in selectors:
        given = {matcher.label for matcher in selector.matchers}
        assert given - TARGET_LABELS == _labels_of(selector) - TARGET_LABELS, selector


def test_failed_requests_are_told_from_the_clients_own() -> None:
    """Every outcome but ``ok`` is in FAILED or NOT_FAILED. Rules that list outcomes list all of FAILED."""
    counted = [
        frozenset(matcher.alternatives) - {"ok"}
        for rule in rules()
        for selector in read_selectors(rule["expr"])
        for matcher in selector.matchers
        if selector.metric == "turnright_requests_total" and matcher.label == "outcome"
        if matcher.operator == "=~"
    ]

    assert OUTCOMES == {"ok"} | FAILED | NOT_FAILED
    assert set(counted) == {FAILED}


@pytest.mark.parametrize("name", alerts())
def test_what_an_alert_says(name: str) -> None:
    """An alert has a severity, a summary, a description and a runbook link, and waits between a minute and an hour."""
    rule = alerts()[name]
    said = rule["annotations"]

    assert re.fullmatch(r"Turnright[A-Z][A-Za-z]+", name)
    assert rule["labels"].keys() == {"severity"}
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert said.keys() == {"summary", "description", "runbook_url"}
    assert said["runbook_url"] == f"deploy/README.md#{name.lower()}"
    assert SHORT_S <= _seconds(rule["for"]) <= LONG_S
    for text in (said["summary"], said["description"]):
        assert "{{" not in TEMPLATE.sub("", text)
        assert len(text) < 500
    assert not said["summary"].endswith(".")
    assert said["description"].endswith(".")


def test_names_are_used_once() -> None:
    """The name of an alert or of a recorded series is unique together with its labels."""
    names = [(rule.get("alert"), rule.get("record"), str(rule.get("labels"))) for rule in rules()]

    assert len(names) == len(set(names))


def _labels_of(selector: Selector) -> set[str]:
    return set({**labels_of_metrics(), **recorded(), **FOREIGN}[selector.metric])


def _seconds(duration: str) -> int:
    return int(duration[:-1]) * {"s": 1, "m": 60, "h": 3600}[duration[-1]]
