"""Tests of the ``pairing`` step for late, missing and unsorted results."""

from __future__ import annotations

import pytest

from sanitizers.gemini_profiles import GEMINI_2
from sanitizers.profiles import OPENAI
from sanitizers.steps.pairing import pair_calls_with_results
from sanitizers.synthetic import MISSING_RESULT
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, text, tool, user

GO = user("go")
A, AB = assistant(calls=[call("a")]), assistant(calls=[call("a"), call("b", "g")])
DEEP = '{"a": ' * 1_020 + "1" + "}" * 1_020

CASES = [
    Case("complete and in order", [GO, AB, tool("a"), tool("b")], None),
    Case(
        "a late result is moved up to its call",
        [GO, A, user("hi"), tool("a", "late")],
        [GO, A, tool("a", "late"), user("hi")],
        [("moved", 3, "late_result")],
    ),
    Case(
        "a late result passes over another exchange",
        [GO, A, user("hi"), assistant(calls=[call("b")]), tool("b"), tool("a")],
        [GO, A, tool("a"), user("hi"), assistant(calls=[call("b")]), tool("b")],
        [("moved", 5, "late_result")],
    ),
    Case(
        "results are put in call order",
        [GO, AB, tool("b"), tool("a")],
        [GO, AB, tool("a"), tool("b")],
        [("moved", 3, "result_order"), ("moved", 2, "result_order")],
    ),
    Case("OpenAI takes results in any order", [GO, AB, tool("b"), tool("a")], None, (), OPENAI),
    Case(
        "a missing result is synthesized in its place",
        [GO, AB, tool("b"), user("hi")],
        [GO, AB, tool("a", MISSING_RESULT), tool("b"), user("hi")],
        [("inserted", 1, "missing_result")],
    ),
    Case(
        "a call that ends the history has its own reason",
        [GO, A],
        [GO, A, tool("a", MISSING_RESULT)],
        [("inserted", 1, "trailing_call")],
    ),
    Case(
        "a turn that ends the history with one result short",
        [GO, AB, tool("a")],
        [GO, AB, tool("a"), tool("b", MISSING_RESULT)],
        [("inserted", 1, "trailing_call")],
    ),
    Case(
        "ids used again belong to their own turn",
        [GO, A, tool("a", "1"), user("more"), A],
        [GO, A, tool("a", "1"), user("more"), A, tool("a", MISSING_RESULT)],
        [("inserted", 4, "trailing_call")],
    ),
    Case(
        "identical parallel calls become one where the wire has no ids",
        [
            GO,
            assistant(calls=[call("a"), call("b"), call("c", "g")]),
            tool("a", "1"),
            tool("b", "2"),
            tool("c", "3"),
        ],
        [GO, assistant(calls=[call("a"), call("c", "g")]), tool("a", "1\n\n2"), tool("c", "3")],
        [("merged", 3, "identical_call")],
        GEMINI_2,
    ),
    Case(
        "equal results of identical calls are kept once",
        [GO, assistant(calls=[call("a"), call("b")]), tool("a", "same"), tool("b", "same")],
        [GO, assistant(calls=[call("a")]), tool("a", "same")],
        [("merged", 3, "identical_call")],
        GEMINI_2,
    ),
    Case(
        "a recorded result wins over a missing one of an identical call",
        [GO, assistant(calls=[call("a"), call("b")]), tool("b", "real"), user("hi")],
        [GO, assistant(calls=[call("a")]), tool("a", "real"), user("hi")],
        [("merged", 2, "identical_call")],
        GEMINI_2,
    ),
    Case(
        "identical calls without a result get one between them",
        [GO, assistant(calls=[call("a"), call("b")]), user("hi")],
        [GO, assistant(calls=[call("a")]), tool("a", MISSING_RESULT), user("hi")],
        [("inserted", 1, "missing_result"), ("merged", 1, "identical_call")],
        GEMINI_2,
    ),
    Case(
        "identical calls with arguments that are nested as deeply as can be read",
        [GO, assistant(calls=[call("a", "f", DEEP), call("b", "f", DEEP)]), tool("a", "1"), tool("b", "2")],
        [GO, assistant(calls=[call("a", "f", DEEP)]), tool("a", "1\n\n2")],
        [("merged", 3, "identical_call")],
        GEMINI_2,
    ),
    Case(
        "calls are identical by what their arguments say",
        [
            GO,
            assistant(calls=[call("a", "f", '{"x": 1, "y": 2}'), call("b", "f", '{"y":2,"x":1}')]),
            tool("a", [text("1")]),
            tool("b", "2"),
        ],
        [
            GO,
            assistant(calls=[call("a", "f", '{"x": 1, "y": 2}')]),
            tool("a", [text("1"), text("\n\n"), text("2")]),
        ],
        [("merged", 3, "identical_call")],
        GEMINI_2,
    ),
    Case(
        "identical calls stay two where the wire has ids",
        [GO, assistant(calls=[call("a"), call("b")]), tool("a", "1"), tool("b", "2")],
        None,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_call_has_exactly_one_result_directly_behind_its_turn(case: Case) -> None:
    """Moved, inserted and merged results are reported."""
    check(pair_calls_with_results, case)


def test_synthesized_result_is_honest_and_fixed() -> None:
    """A synthesized result has a fixed text, which says that no result was recorded."""
    assert MISSING_RESULT == '{"error": "No result was recorded for this tool call."}'
