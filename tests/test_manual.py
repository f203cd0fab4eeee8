"""Tests that the operator's manual lists every setting, metric, alert, error code and command."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from proxy.observability.metrics import Metrics
from proxy.resilience.failure_table import Kind
from tests.support import public_surface

ROOT = Path(__file__).parents[1]
MANUAL = (ROOT / "deploy" / "README.md").read_text()


def section(title: str) -> str:
    """Return the text under the heading *title*, up to the next heading of the same or a higher level."""
    start = re.search(rf"^(#+) {re.escape(title)}$", MANUAL, re.MULTILINE)
    assert start is not None, title
    end = re.search(rf"^#{{1,{len(start[1])}}} ", MANUAL[start.end() :], re.MULTILINE)
    return MANUAL[start.end() : start.end() + end.start() if end else None]


def rows(text: str) -> list[list[str]]:
    """Return the cells of every row of the tables in *text* whose first cell holds code."""
    cells = [
        re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in text.splitlines() if line.startswith("| `")
    ]
    return [[cell.strip() for cell in row] for row in cells]


def codes(text: str) -> set[str]:
    """Return the code spans in the first cells of the tables in *text*."""
    return {code for row in rows(text) for code in re.findall(r"`([^`]+)`", row[0])}


def test_manual_lists_every_setting_and_no_other() -> None:
    assert codes(section("Settings")) == {name for name, _ in public_surface.settings()}


def test_manual_gives_the_default_of_every_numeric_setting() -> None:
    told = {row[0].strip("`"): row[1] for row in rows(section("Settings"))}
    wrong = {
        name: default
        for name, default in public_surface.settings()
        if isinstance(default, int | float)
        and not isinstance(default, bool)
        and not re.search(rf"(Default|default)[^.]*\b{re.escape(f'{default:g}')}\b", told[name])
    }
    assert wrong == {}


def test_manual_lists_every_metric_with_type_and_labels() -> None:
    told = {row[0].strip("`"): (row[1], row[2]) for row in rows(section("Metrics"))}

    assert told == public_surface.metrics()


def test_every_metric_has_its_help_text() -> None:
    """The manual describes every metric with the help text that ``/metrics`` has."""
    every = Metrics()
    every.gen_ai()
    told = {row[0].strip("`"): row[3] for row in rows(section("Metrics"))}

    assert set(told.values()) == {family.documentation for family in every.registry.collect()}


def test_manual_says_what_to_do_about_every_alert() -> None:
    """Every alert has a section in the manual, and its ``runbook_url`` points to that section."""
    groups = yaml.safe_load((ROOT / "deploy" / "prometheus" / "rules.yaml").read_text())["groups"]
    alerts = [rule for group in groups for rule in group["rules"] if "alert" in rule]
    told = re.findall(r"^#### (\w+)$", section("Alerts"), re.MULTILINE)
    assert sorted(told) == sorted({rule["alert"] for rule in alerts})
    assert all(rule["annotations"]["runbook_url"].endswith(f"#{rule['alert'].lower()}") for rule in alerts)


def test_manual_lists_every_error_code_with_its_status() -> None:
    """The manual lists every error code with its status, and every kind of failure."""
    exist = public_surface.error_codes()
    told = rows(section("Error codes"))
    statuses = {row[0].strip("`"): row[1] for row in told if len(row) == 4}
    assert set(statuses) == {found.code for found in exist}
    assert all(str(found.status or "") in statuses[found.code] for found in exist)
    kinds = [code for row in told if len(row) == 2 for code in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(kinds) == sorted(Kind)


def test_manual_lists_every_command_with_its_options() -> None:
    assert codes(section("Command line")) == set(public_surface.commands())
