"""Tests of the table row with the verdict on a history for one target."""

from __future__ import annotations

from proxy.core.errors import InvalidRequest
from proxy.inspector.verdicts import unreadable_row, verdict_row
from tests.proxy.inspector.looking import parse, run
from tests.support.builders import assistant, call, tool, user

TARGET = {"profile": "openai"}


def test_legal_history_is_unchanged() -> None:
    """The estimate equals the tokens sent."""
    row = verdict_row(run(parse([user()]), "openai"), TARGET)

    assert (row["verdict"], row["changes"], row["refusal"], row["target"]) == ("unchanged", {}, None, TARGET)
    assert row["estimate"] == row["sent"] > 0


def test_changes_are_counted_by_step() -> None:
    """The row has one count for each step."""
    history = [user(), assistant(calls=[call("a"), call("b")]), tool("c"), user()]
    row = verdict_row(run(parse(history), "openai"), TARGET)

    assert row["verdict"] == "repaired"
    assert row["changes"]["pairing"] == 2
    assert row["changes"]["orphan_drop"] == 1


def test_refused_history_has_its_error() -> None:
    """Mode strict refuses the history."""
    history = [user(), tool("c")]
    row = verdict_row(run(parse(history), "openai", sanitize={"mode": "strict"}), TARGET)

    assert (row["verdict"], row["refusal"]) == ("refused", "illegal_history")
    assert row["message"]


def test_unreadable_target_has_the_same_columns() -> None:
    """The page shows all targets in one table."""
    row = unreadable_row(TARGET, InvalidRequest("Not for this model."))

    assert row.keys() == verdict_row(run(parse([user()]), "openai"), TARGET).keys()
    assert (row["verdict"], row["refusal"], row["message"]) == (
        "refused",
        "invalid_request",
        "Not for this model.",
    )
