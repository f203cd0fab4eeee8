"""Tests the dashboard: its panels query series that exist, in valid PromQL."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ops.promql import read_grouping, read_selectors
from tests.ops.promtool import promtool
from tests.ops.vocabulary import TARGET_LABELS, Vocabulary, find_faults, labels_of_metrics
from tests.ops.written_dashboard import (
    DASHBOARD,
    OF_TIME,
    annotation_expressions,
    dashboard,
    panel_expressions,
    panels,
    replaced,
    variables,
)
from tests.ops.written_rules import alerts, recorded

ROWS = [
    "At a glance",
    "What is changed, and why",
    "Budgets",
    "Errors by class",
    "Retries, fallbacks, circuits",
    "Overhead and latency",
    "Tokens",
    "Rounds",
    "Process",
    "Store",
    "Keys and spend",
]
UNITS = {"bytes", "currencyUSD", "ops", "percentunit", "reqps", "s", "short"}
"""Grafana's names of the units that the metrics have."""


def known() -> Vocabulary:
    """Return the series that the rules record, and ALERTS, which Prometheus makes itself."""
    names = frozenset(alerts())
    states = frozenset({"pending", "firing"})
    return {**recorded(), "ALERTS": {"alertname": names, "alertstate": states, "model": frozenset()}}


def test_the_file_is_written_stably() -> None:
    """The file has sorted keys, two spaces and unescaped characters, so that a change makes a small diff."""
    again = json.dumps(dashboard(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    assert again == DASHBOARD.read_text()


def test_rows_stand_in_order_and_panels_do_not_overlap() -> None:
    """The rows are in order, and each has panels. Panels do not overlap, and every panel has its own id."""
    shown = dashboard()["panels"]
    taken = [
        (x, y)
        for place in (panel["gridPos"] for panel in shown)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]

    assert ROWS == [panel["title"] for panel in shown if panel["type"] == "row"]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24
    assert len({panel["id"] for panel in shown}) == len(shown)
    for before, after in pairwise(shown):
        assert not before["type"] == after["type"] == "row"


def test_dashboard_can_choose_source_installation_process_and_model() -> None:
    """The reader can choose one data source, and several installations, processes and models at a time."""
    assert ["datasource", "job", "instance", "model", "manual"] == list(variables())
    assert variables()["datasource"]["query"] == "prometheus"
    for name in ("job", "instance", "model"):
        variable = variables()[name]
        assert variable["multi"]
        assert variable["includeAll"]
        metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["definition"]).groups()  # type: ignore[union-attr]
        assert variable["query"]["query"] == variable["definition"]
        [selector] = read_selectors(replaced(metric))
        assert find_faults([selector], {}) == []
        assert label in labels_of_metrics()[selector.metric].keys() | TARGET_LABELS


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: panel["title"])
def test_panels_explain_themselves(panel: dict[str, Any]) -> None:
    """A panel has a title, a description, a unit and the chosen data source.

    Its links lead to alerts in the manual.
    """
    assert panel["title"]
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
    assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    for target in panel["targets"]:
        assert target["datasource"] == panel["datasource"]
    anchors = {f"${{manual}}#{name.lower()}" for name in alerts()}
    assert {link["url"] for link in panel.get("links", ())} <= anchors


def test_every_alert_is_beside_what_it_is_about() -> None:
    """Some panel links to each alert's section of the manual, and the dashboard links to the whole manual."""
    linked = {link["url"] for panel in panels() for link in panel.get("links", ())}

    assert linked == {f"${{manual}}#{name.lower()}" for name in alerts()}
    assert [link["url"] for link in dashboard()["links"]] == ["${manual}"]


def test_expressions_name_what_there_is() -> None:
    """Every metric, label and label value of a query exists in the process's metrics or in the rules."""
    for place, expression in (panel_expressions() | annotation_expressions()).items():
        selectors = read_selectors(expression)
        labels = {label for one in selectors for label in {**labels_of_metrics(), **known()}[one.metric]}

        assert selectors, place
        assert find_faults(selectors, known()) == [], place
        assert read_grouping(expression) <= labels | TARGET_LABELS, place


def test_legends_name_what_there_is() -> None:
    """A legend uses only labels that its expression groups by."""
    for panel in panels():
        for target in panel["targets"]:
            named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert named <= read_grouping(target["expr"]), panel["title"]


def test_every_metric_is_shown() -> None:
    shown = {selector.metric for one in panel_expressions().values() for selector in read_selectors(one)}
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in shown}
    own = {name for name in labels_of_metrics() if name.startswith("turnright_")}

    assert {re.sub(r"_(bucket|count|sum)$", "", name) for name in own} <= families


def test_promtool_takes_the_expressions(tmp_path: Path) -> None:
    """``promtool`` parses every expression of the dashboard."""
    written = [
        {"record": f"panel:{number}", "expr": expr}
        for number, expr in enumerate((panel_expressions() | annotation_expressions()).values())
    ]
    path = tmp_path / "panels.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": written}]}))
    done = promtool("check", "rules", "--lint=none", path)

    assert (0, "") == (done.returncode, done.stderr), done.stdout
    assert f"{len(written)} rules found" in done.stdout


def test_every_range_is_grafanas() -> None:
    """Every range in a query is one of Grafana's time variables.

    A fixed range would not fit the period that the dashboard's reader chooses.
    """
    for panel in panels():
        for target in panel["targets"]:
            for window in re.findall(r"\[(.*?)\]", target["expr"]):
                assert window in OF_TIME, panel["title"]
