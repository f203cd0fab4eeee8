"""Neighbours of one role become one message, without losing a text, a part, a call or a field."""

from __future__ import annotations

from functools import partial

import pytest

from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2
from sanitizers.merging import merge_runs
from sanitizers.profiles import OPENAI
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, image, system, text, tool, user

CASES = [
    Case("nothing to join", [user("a"), assistant("b"), user("c")], None),
    Case(
        "two model texts become one turn",
        [user("a"), assistant("b"), assistant("c")],
        [user("a"), assistant("b\n\nc")],
        [("merged", 2, "assistant_run")],
    ),
    Case(
        "parallel calls split over messages become one turn",
        [user("a"), assistant(calls=[call("x")]), assistant(calls=[call("y")]), tool("x"), tool("y")],
        [user("a"), assistant(calls=[call("x"), call("y")]), tool("x"), tool("y")],
        [("merged", 2, "assistant_run")],
    ),
    Case(
        "split parallel calls become one turn at OpenAI as well",
        [user("a"), assistant(calls=[call("x")]), assistant(calls=[call("y")])],
        [user("a"), assistant(calls=[call("x"), call("y")])],
        [("merged", 2, "assistant_run")],
        OPENAI,
    ),
    Case(
        "two assistant texts stay apart at OpenAI",
        [user("a"), assistant("b"), assistant("c")],
        None,
        (),
        OPENAI,
    ),
    Case(
        "text between a call and its result joins the call's turn",
        [user("a"), assistant(calls=[call("x")]), assistant("hm"), tool("x")],
        [user("a"), assistant("hm", calls=[call("x")]), tool("x")],
        [("merged", 2, "assistant_run")],
    ),
    Case("two user messages are legal at Gemini 2 and later", [user("a"), user("b")], None, (), GEMINI_2),
    Case(
        "two user messages are joined at Gemini 1",
        [user("a"), user("b")],
        [user("a\n\nb")],
        [("merged", 1, "user_run")],
        GEMINI_1,
    ),
    Case(
        "merging for every provider is a setting",
        [user("a"), user("b")],
        [user("a\n\nb")],
        [("merged", 1, "user_run")],
        OPENAI.merging(),
    ),
    Case(
        "text and parts become parts, in order",
        [user("a"), user([image(), text("b")])],
        [user([text("a"), image(), text("b")])],
        [("merged", 1, "user_run")],
        GEMINI_1,
    ),
    Case(
        "three in a row become one",
        [user("a"), assistant("1"), assistant("2"), assistant("3")],
        [user("a"), assistant("1\n\n2\n\n3")],
        [("merged", 2, "assistant_run"), ("merged", 3, "assistant_run")],
    ),
    Case(
        "unknown fields of both survive",
        [user("a"), assistant("1", one=1), assistant("2", two=2)],
        [user("a"), {"role": "assistant", "content": "1\n\n2", "one": 1, "two": 2}],
        [("merged", 2, "assistant_run")],
    ),
    Case(
        "a message between them keeps two of a role apart",
        [user("a"), assistant("1"), system("s"), assistant("2")],
        None,
        (),
        OPENAI.merging(),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_neighbours_are_joined_where_the_profile_or_a_call_requires_it(case: Case) -> None:
    """A change names each message that was joined to the previous message."""
    check(partial(merge_runs, step="role_merge"), case)
