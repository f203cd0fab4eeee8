"""The ``shape`` step pairs each result with the call that it answers."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import sanitize
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI, Profile
from sanitizers.synthetic import MISSING_RESULT
from tests.support.builders import assistant, call, legacy_call, legacy_result, tool, user

GO = user("go")


def pairs(history: list[dict[str, Any]], profile: Profile = GEMINI_3) -> list[tuple[str, str]]:
    """Sanitize and return (function name, result content) for each call, in order.

    The ids of a call and its result must be equal.
    """
    messages = sanitize(history, profile).messages
    found = []
    for at, message in enumerate(messages):
        calls = message.get("tool_calls") or []
        results = messages[at + 1 : at + 1 + len(calls)]
        assert len({c["id"] for c in calls}) == len(calls)
        for one, result in zip(calls, results, strict=True):
            assert one["id"] == result["tool_call_id"]
            found.append((one["function"]["name"], result["content"]))
    return found


CASES: list[tuple[str, list[dict[str, Any]], list[tuple[str, str]]]] = [
    (
        "null ids are paired in order",
        [GO, assistant(calls=[call(None, "f"), call(None, "g")]), tool(None, "1"), tool(None, "2")],
        [("f", "1"), ("g", "2")],
    ),
    (
        "empty ids are paired in order",
        [GO, assistant(calls=[call("", "f"), call("", "g")]), tool("", "1"), tool("", "2")],
        [("f", "1"), ("g", "2")],
    ),
    (
        "a null id takes its result by name",
        [
            GO,
            assistant(calls=[call(None, "f"), call(None, "g")]),
            tool(None, "2", name="g"),
            tool(None, "1", name="f"),
        ],
        [("f", "1"), ("g", "2")],
    ),
    (
        "results without ids that are too few go to the first calls",
        [GO, assistant(calls=[call(None, "f"), call(None, "g")]), tool(None, "1"), user("hi")],
        [("f", "1"), ("g", MISSING_RESULT)],
    ),
    (
        "an unknown id in the only open place is that call's",
        [GO, assistant(calls=[call("a", "f")]), tool("regenerated", "1")],
        [("f", "1")],
    ),
    (
        "an unknown id with two open places is nobody's",
        [GO, assistant(calls=[call("a", "f"), call("b", "g")]), tool("regenerated", "1"), user("hi")],
        [("f", MISSING_RESULT), ("g", MISSING_RESULT)],
    ),
    (
        "a result named for another tool is nobody's",
        [GO, assistant(calls=[call("a", "f")]), tool("x", "1", name="other"), user("hi")],
        [("f", MISSING_RESULT)],
    ),
    (
        "one id for two parallel calls: results in order",
        [GO, assistant(calls=[call("a", "f"), call("a", "g")]), tool("a", "1"), tool("a", "2")],
        [("f", "1"), ("g", "2")],
    ),
    (
        "one id for two calls of split messages: results in order",
        [
            GO,
            assistant(calls=[call("a", "f")]),
            assistant(calls=[call("a", "g")]),
            tool("a", "1"),
            tool("a", "2"),
        ],
        [("f", "1"), ("g", "2")],
    ),
    (
        "one id for two parallel calls: a result that names its function goes there",
        [
            GO,
            assistant(calls=[call("a", "f"), call("a", "g")]),
            tool("a", "2", name="g"),
            tool("a", "1", name="f"),
        ],
        [("f", "1"), ("g", "2")],
    ),
    (
        "ids that differ in the signature suffix alone are one id on the wire",
        [
            GO,
            assistant(calls=[call("a__thought__QUJD", "f"), call("a__thought__REVG", "g")]),
            tool("a", "1"),
            tool("a", "2"),
        ],
        [("f", "1"), ("g", "2")],
    ),
    (
        "an id used again while open, and two results behind it: the last wins for the later call",
        [
            GO,
            assistant(calls=[call("a", "f")]),
            user("x"),
            assistant(calls=[call("a", "g")]),
            tool("a", "1"),
            tool("a", "2"),
        ],
        [("f", MISSING_RESULT), ("g", "2")],
    ),
    (
        "a late result without an id answers the one open call of its name",
        [GO, legacy_call("f"), user("hm"), legacy_result("f", "1")],
        [("f", "1")],
    ),
    (
        "a late result without an id does not choose between two open calls",
        [GO, legacy_call("f"), user("hm"), legacy_call("f"), user("hm"), legacy_result("f", "1")],
        [("f", MISSING_RESULT), ("f", MISSING_RESULT)],
    ),
    (
        "a call given in both forms is one call",
        [
            GO,
            assistant(calls=[call("a", "f")], function_call={"name": "f", "arguments": "{}"}),
            tool("a", "1"),
        ],
        [("f", "1")],
    ),
    (
        "one id for two parallel calls and three results: the last wins for the last",
        [
            GO,
            assistant(calls=[call("a", "f"), call("a", "g")]),
            tool("a", "1"),
            tool("a", "2"),
            tool("a", "3"),
        ],
        [("f", "1"), ("g", "3")],
    ),
    (
        "an id used again in a later turn keeps its results apart",
        [
            GO,
            assistant(calls=[call("a", "f")]),
            tool("a", "1"),
            user("x"),
            assistant(calls=[call("a", "g")]),
            tool("a", "2"),
        ],
        [("f", "1"), ("g", "2")],
    ),
    (
        "an id used again while the first call is open: the result is the nearest one's",
        [GO, assistant(calls=[call("a", "f")]), user("x"), assistant(calls=[call("a", "g")]), tool("a", "2")],
        [("f", MISSING_RESULT), ("g", "2")],
    ),
    (
        "an orphan between two calls with one id does not part them",
        [
            GO,
            assistant(calls=[call("a", "f")]),
            tool("zz", "?"),
            assistant(calls=[call("a", "g")]),
            tool("a", "1"),
            tool("a", "2"),
        ],
        [("f", "1"), ("g", "2")],
    ),
    (
        "a signature suffix that only the call has",
        [GO, assistant(calls=[call("a__thought__QUJD", "f")]), tool("a", "1")],
        [("f", "1")],
    ),
    (
        "legacy function forms are paired by name",
        [GO, legacy_call("f"), legacy_result("f", "1"), legacy_call("g"), legacy_result("g", "2")],
        [("f", "1"), ("g", "2")],
    ),
]


@pytest.mark.parametrize(("history", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_each_call_gets_its_own_result(
    history: list[dict[str, Any]], expected: list[tuple[str, str]]
) -> None:
    """Names and results stay together, and ids are the same on both sides."""
    assert expected == pairs(history)


def test_ids_used_again_later_are_left_as_they_are() -> None:
    """A reused id is legal where its first call has a result."""
    history = [
        GO,
        assistant(calls=[call("a")]),
        tool("a"),
        user("x"),
        assistant(calls=[call("a")]),
        tool("a"),
    ]

    assert sanitize(history, GEMINI_3).messages is history


def test_unreadable_signature_suffix_is_removed_with_its_id() -> None:
    """Litellm would pass an unreadable suffix on. The call and its result get a plain id."""
    history = [
        GO,
        assistant(calls=[call("a__thought__EsICCr8CAb4", "f")]),
        tool("a__thought__EsICCr8CAb4", "1"),
    ]

    done = sanitize(history, GEMINI_3)

    assert [("f", "1")] == pairs(history)
    assert "__thought__" not in str(done.messages)
    assert ["signature_unreadable", "result_id"] == [c.reason for c in done.changes]


def test_long_ids_are_renamed_at_openai() -> None:
    """OpenAI accepts ids of up to 40 characters. The call and its result get the same id."""
    long = "call_" + "x" * 60
    history = [GO, assistant(calls=[call(long, "f")]), tool(long, "1")]

    once, again = sanitize(history, OPENAI), sanitize(history, OPENAI)

    assert once.messages == again.messages
    assert len(once.messages[1]["tool_calls"][0]["id"]) <= 40
    assert [("f", "1")] == pairs(history, OPENAI)


def test_derived_ids_never_collide_with_given_ones() -> None:
    """A candidate that the history already uses as an id is skipped."""
    first = sanitize([GO, assistant(calls=[call(None, "f")]), tool(None, "1")], GEMINI_3).messages
    derived = first[1]["tool_calls"][0]["id"]
    history = [
        GO,
        assistant(calls=[call(None, "f"), call(derived, "g")]),
        tool(derived, "2"),
        tool(None, "1"),
    ]

    assert [("f", "1"), ("g", "2")] == pairs(history)
