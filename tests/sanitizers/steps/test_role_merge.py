"""Tests of the steps ``role_merge`` and ``final_merge``, which join messages before and after ``pairing``."""

from __future__ import annotations

from sanitizers import sanitize
from sanitizers.gemini_profiles import GEMINI_3
from tests.support.builders import assistant, call, tool, user


def test_turns_that_pairing_brought_together_become_one() -> None:
    """Moving a late result away from between two model texts leaves one turn."""
    history = [
        user("go"),
        assistant(calls=[call("a")]),
        user("hi"),
        assistant("1"),
        tool("a"),
        assistant("2"),
    ]

    done = sanitize(history, GEMINI_3)

    assert [
        user("go"),
        assistant(calls=[call("a")]),
        tool("a"),
        user("hi"),
        assistant("1\n\n2"),
    ] == done.messages
    assert [("pairing", 4), ("final_merge", 5)] == [(c.step, c.index) for c in done.changes]


def test_results_and_user_text_stay_apart() -> None:
    """A user message after results is a message of its own, even where all runs are merged."""
    history = [user("go"), assistant(calls=[call("a")]), user("one"), tool("a"), user("two")]

    done = sanitize(history, GEMINI_3.merging())

    assert [
        user("go"),
        assistant(calls=[call("a")]),
        tool("a"),
        user("one\n\ntwo"),
    ] == done.messages
