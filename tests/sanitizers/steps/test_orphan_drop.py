"""Tests of the ``orphan_drop`` step, which drops superseded results and results without a call."""

from __future__ import annotations

import pytest

from sanitizers.steps.orphan_drop import drop_orphaned_results
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, tool, user

GO, ASKS_A = user("go"), assistant(calls=[call("a")])

CASES = [
    Case("every result has its call", [GO, ASKS_A, tool("a")], None),
    Case(
        "a result without any call is dropped",
        [GO, tool("x"), user("hi")],
        [GO, user("hi")],
        [("dropped", 1, "orphaned_result")],
    ),
    Case(
        "a result at the head, its call cut away",
        [tool("a"), GO],
        [GO],
        [("dropped", 0, "orphaned_result")],
    ),
    Case(
        "a result before its call is an orphan",
        [GO, tool("a"), ASKS_A],
        [GO, ASKS_A],
        [("dropped", 1, "orphaned_result")],
    ),
    Case("a late result is not an orphan", [GO, ASKS_A, user("hi"), tool("a")], None),
    Case(
        "of several results the last wins",
        [GO, ASKS_A, tool("a", "placeholder"), tool("a", "real")],
        [GO, ASKS_A, tool("a", "real")],
        [("dropped", 2, "superseded_result")],
    ),
    Case(
        "the last wins even when it is late",
        [GO, ASKS_A, tool("a", "early"), user("hi"), tool("a", "late")],
        [GO, ASKS_A, tool("a", "late"), user("hi")],
        [("dropped", 2, "superseded_result")],
    ),
    Case(
        "a result sent again later does not bring the turns around the first together",
        [GO, ASKS_A, tool("a", "42"), assistant("it is 42"), user("thanks"), tool("a", "42"), user("next")],
        [GO, ASKS_A, tool("a", "42"), assistant("it is 42"), user("thanks"), user("next")],
        [("dropped", 2, "superseded_result")],
    ),
    Case(
        "an id used again means the later call",
        [GO, ASKS_A, tool("a", "1"), user("more"), ASKS_A, tool("a", "2")],
        None,
    ),
    Case(
        "a result without an id is an orphan",
        [GO, ASKS_A, tool("a"), {"role": "tool", "content": "x"}],
        [GO, ASKS_A, tool("a")],
        [("dropped", 3, "orphaned_result")],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_only_the_last_result_of_an_earlier_call_stays(case: Case) -> None:
    """A result stays only if it is the last result of a call, and comes after that call."""
    check(drop_orphaned_results, case)
