"""Tests of a history's ledger: totals, replacements and dropped messages."""

from __future__ import annotations

from sanitizers.budget.ledger import Ledger
from tests.sanitizers.budget.histories import a_round, size
from tests.support.builders import tool, user

HISTORY = [user("goal"), *a_round(0, 400)]
GOAL, CALL, RESULT = map(size, HISTORY)


def ledger() -> Ledger:
    """Return the ledger of the whole history."""
    made = Ledger(HISTORY, size)
    made.take_in(0, len(HISTORY))
    return made


def test_a_replacement_changes_the_total_and_keeps_the_original() -> None:
    """A second replacement takes the place of the first."""
    one = ledger()

    assert one.replace(2, "x" * 40, "tool_result_capped")
    assert one.replace(2, "", "tool_result_cleared")
    assert one.current(2) == tool("c0", "")
    assert one.total == GOAL + CALL + size(tool("c0", ""))
    assert one.before == [GOAL, CALL, RESULT]
    assert one.replaced[2].reason == "tool_result_cleared"
    assert HISTORY[2] == tool("c0", "x" * 400)


def test_a_content_that_saves_no_tokens_replaces_only_where_it_must() -> None:
    """Within a cap, many short lines with a marker can have more tokens than the original content."""
    one = ledger()
    larger = "y" * 400

    assert not one.replace(2, larger, "tool_result_capped")
    assert (one.total, one.current(2), one.replaced) == (GOAL + CALL + RESULT, HISTORY[2], {})
    assert one.replace(2, larger, "tool_result_capped", always=True)
    assert one.current(2) == tool("c0", larger)


def test_dropped_messages_leave_the_total() -> None:
    """Dropping a replaced message saves the tokens of the replacement, not of the original."""
    one = ledger()
    one.replace(2, "", "tool_result_cleared")
    left = size(tool("c0", ""))

    assert one.drop(1, 3, "round_dropped") == CALL + left
    assert one.total == GOAL
    assert one.gone == {1: "round_dropped", 2: "round_dropped"}
