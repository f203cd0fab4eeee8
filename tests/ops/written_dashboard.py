"""Reads the dashboard's file: its panels, its variables, and its queries to Prometheus."""

from __future__ import annotations

import functools
import json
from typing import Any

from tests.ops.written_rules import DEPLOY

DASHBOARD = DEPLOY / "grafana" / "turnright.json"
OF_TIME = {"$__rate_interval": "1m", "$__interval": "1m", "$__range": "3h"}
"""Grafana's own time variables, each with an example value."""


@functools.cache
def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    read: dict[str, Any] = json.loads(DASHBOARD.read_bytes())
    return read


def panels() -> list[dict[str, Any]]:
    """Return the panels without the rows."""
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def variables() -> dict[str, dict[str, Any]]:
    """Return the dashboard's variables by their names."""
    return {variable["name"]: variable for variable in dashboard()["templating"]["list"]}


def panel_expressions() -> dict[str, str]:
    """Return the panels' queries with every variable replaced, by the panel's title and the query's letter."""
    return {
        f"{panel['title']} {target['refId']}": replaced(target["expr"])
        for panel in panels()
        for target in panel["targets"]
    }


def annotation_expressions() -> dict[str, str]:
    """Return the annotations' queries with every variable replaced, by the annotation's name."""
    written = dashboard()["annotations"]["list"]
    return {one["name"]: replaced(one["expr"]) for one in written if "expr" in one}


def replaced(expression: str) -> str:
    """Return *expression* with a valid value in the place of every variable."""
    for name, value in OF_TIME.items():
        expression = expression.replace(name, value)
    for name in variables():
        expression = expression.replace(f"${name}", ".*")
    assert "$" not in expression, expression
    return expression
