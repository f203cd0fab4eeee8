"""Tests of the ``user_prepend`` step for a history that does not begin with a user turn."""

from __future__ import annotations

import pytest

from sanitizers.profiles import OPENAI
from sanitizers.steps.user_prepend import prepend_user_turn
from sanitizers.synthetic import HISTORY_START, SYSTEM_ONLY
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, developer, system, tool, user

CASES = [
    Case("a user comes first", [user("a"), assistant("b")], None),
    Case("a user comes first behind the system", [system("s"), developer("d"), user("a")], None),
    Case(
        "a leading text of the model",
        [assistant("b"), user("c")],
        [user(HISTORY_START), assistant("b"), user("c")],
        [("inserted", 0, "model_first")],
    ),
    Case(
        "a leading call, behind the system message",
        [system("s"), assistant(calls=[call("x")]), tool("x")],
        [system("s"), user(HISTORY_START), assistant(calls=[call("x")]), tool("x")],
        [("inserted", 1, "model_first")],
    ),
    Case(
        "nothing but system messages",
        [system("s"), developer("d")],
        [system("s"), developer("d"), user(SYSTEM_ONLY)],
        [("inserted", 1, "system_only")],
    ),
    Case("OpenAI takes a leading assistant", [assistant("b")], None, (), OPENAI),
    Case("OpenAI takes a system message alone", [system("s")], None, (), OPENAI),
    Case("nothing at all stays nothing", [], None),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_user_turn_is_inserted_exactly_where_the_profile_needs_one(case: Case) -> None:
    """The inserted text depends on whether a model turn comes first or there are only system messages."""
    check(prepend_user_turn, case)
