"""The ``final_merge`` step: the same joining as ``role_merge``, under its own name."""

from __future__ import annotations

from sanitizers import sanitize
from sanitizers.profiles import GEMINI_3
from tests.support.builders import assistant, call, tool, user


def test_turns_that_pairing_brought_together_become_one() -> None:
    """A late result taken out from between two model texts leaves one turn behind."""
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
    """A user message behind results is a message of its own, whatever is merged."""
    history = [user("go"), assistant(calls=[call("a")]), user("one"), tool("a"), user("two")]

    done = sanitize(history, GEMINI_3.merging())

    assert [
        user("go"),
        assistant(calls=[call("a")]),
        tool("a"),
        user("one\n\ntwo"),
    ] == done.messages
