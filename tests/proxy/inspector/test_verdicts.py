"""Tests of the table row with the verdict on a history for one target."""

from __future__ import annotations

from collections import Counter

import pytest

from proxy.core.errors import InvalidRequest
from proxy.inspector.inspect_request import inspect_request
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
    """The row has the number of changes of each step."""
    history = [user(), assistant(calls=[call("a"), call("b")]), tool("c"), user()]
    row = verdict_row(run(parse(history), "openai"), TARGET)

    assert row["verdict"] == "repaired"
    assert row["changes"]["pairing"] == 2
    assert row["changes"]["orphan_drop"] == 1


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
@pytest.mark.parametrize("profile", ["gemini-3-strict", "openai"])
def test_counts_are_those_of_the_steps(profile: str, mode: str) -> None:
    """The row counts the changes of all steps that the page shows, signatures included."""
    signed = call("a") | {"extra_content": {"google": {"thought_signature": "c2lnbmF0dXJlLW9mLWEtY2FsbA=="}}}
    unsigned = [assistant(calls=[call("d")]), tool("d")]
    asked = parse([user(), assistant(calls=[signed]), tool("a"), tool("c"), *unsigned])
    found = run(asked, profile, sanitize={"mode": mode})
    steps = inspect_request(asked, found, TARGET)["steps"]
    counts: Counter[str] = Counter()
    for step in steps:
        counts[step["step"]] += len(step["changes"])

    assert counts["signatures"]
    assert verdict_row(found, TARGET)["changes"] == counts


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
