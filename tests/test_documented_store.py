"""Tests that ``docs/state.md`` has every kind of fact that a store keeps, and every kind of failure."""

from __future__ import annotations

import re
from pathlib import Path

from proxy.state.backend import FaultKind
from proxy.state.spaces import SPACES
from tests.support.markdown_tables import key_in, rows_under
from tests.test_manual import MANUAL, codes, section

DOCUMENT = (Path(__file__).parents[1] / "docs" / "state.md").read_text(encoding="utf-8")
UNITS_S = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


def seconds_in(text: str) -> float:
    """Return the first duration in *text*, such as ``14 days`` or ``an hour``, in seconds."""
    found = re.search(r"(\d+|an?) (day|hour|minute|second)s?\b", text)
    assert found is not None, text
    return (int(found[1]) if found[1].isdigit() else 1) * UNITS_S[found[2]]


def test_every_space_is_listed_with_its_lifetime() -> None:
    """The table has the spaces in the code's order, each with the longest time for which an entry is kept."""
    told = [(key_in(row[0]), seconds_in(row[2])) for row in rows_under(DOCUMENT, "What is kept")]

    assert told == [(space.name, space.lifetime_s) for space in SPACES]


def test_every_kind_of_failure_is_listed() -> None:
    """The table of failures has every kind that the metric of errors counts, and the metric's help text has it too."""
    rows = rows_under(DOCUMENT, "When the store fails")
    kinds = {key_in(row[2]) for row in rows} - {"none"}
    [text] = re.findall(r"^\| `turnright_store_errors_total` \|.*$", MANUAL, re.MULTILINE)

    assert kinds == set(FaultKind)
    assert set(re.findall(r"(\w+): ", text)) == set(FaultKind)


def test_log_lines_and_alerts_of_failures_are_in_the_manual() -> None:
    """Every event and every alert that the table of failures names is one of the operator's manual."""
    rows = rows_under(DOCUMENT, "When the store fails")
    events = {event for row in rows for event in re.findall(r"`(\w+)`", row[3])}
    alerts = {alert for row in rows for alert in re.findall(r"\bTurnright\w+", row[4])}

    assert events
    assert events - codes(section("Logs")) == set()
    assert alerts
    assert alerts - set(re.findall(r"^#### (\w+)$", MANUAL, re.MULTILINE)) == set()
