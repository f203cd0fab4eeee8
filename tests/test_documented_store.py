"""Tests that ``docs/state.md`` has every kind of fact that a store keeps, and every kind of failure."""

from __future__ import annotations

import re
from pathlib import Path

from proxy.observability import store_reports
from proxy.state.external.backend import FaultKind
from proxy.state.external.guarded_backend import WAIT_S
from proxy.state.external.sealed_entries import LARGEST_VALUE
from proxy.state.external.write_behind import JOIN_S
from proxy.state.external.write_queue import MAX_BYTES
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


def test_bounds_are_those_of_the_code() -> None:
    """The waits, the queue and the largest value are documented as they are."""
    for told in (
        f"A look-up takes {WAIT_S * 1_000:g} ms at most",
        f"waits for its writes for {JOIN_S * 1_000:g} ms at most",
        f"up to {MAX_BYTES / 2**20:g} MiB wait",
        f"a value above {LARGEST_VALUE / 2**10:g} KiB",
    ):
        assert told in " ".join(DOCUMENT.split()), told


def test_every_log_line_of_a_store_is_listed() -> None:
    """The table of failures names the events that the process logs about its store, and no others."""
    source = Path(store_reports.__file__).read_text("utf-8")
    rows = rows_under(DOCUMENT, "When the store fails")

    assert {event for row in rows for event in re.findall(r"`(\w+)`", row[3])} == set(
        re.findall(r'"(store_\w+)"', source)
    )


def test_log_lines_and_alerts_of_failures_are_in_the_manual() -> None:
    """Every event and every alert that the table of failures names is one of the operator's manual."""
    rows = rows_under(DOCUMENT, "When the store fails")
    events = {event for row in rows for event in re.findall(r"`(\w+)`", row[3])}
    alerts = {alert for row in rows for alert in re.findall(r"\bTurnright\w+", row[4])}

    assert events
    assert events - codes(section("Logs")) == set()
    assert alerts
    assert alerts - set(re.findall(r"^#### (\w+)$", MANUAL, re.MULTILINE)) == set()
