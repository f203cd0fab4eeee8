"""The ``tail`` step."""

from __future__ import annotations

import pytest

from sanitizers.profiles import GEMINI_2, GEMINI_3, GEMINI_3_STRICT, OPENAI
from sanitizers.steps.tail import close_trailing_model_turn
from sanitizers.synthetic import CONTINUE
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, tool, user

PREFILL = [user("a"), assistant("Great, a table for")]

CASES = [
    Case("prefill is left alone at Gemini 2", PREFILL, None, (), GEMINI_2),
    Case("prefill is left alone at Gemini 3", PREFILL, None, (), GEMINI_3),
    Case("prefill is left alone at OpenAI", PREFILL, None, (), OPENAI),
    Case(
        "a trailing model turn is closed where it is refused",
        PREFILL,
        [*PREFILL, user(CONTINUE)],
        [("inserted", 1, "trailing_model_turn")],
        GEMINI_3_STRICT,
    ),
    Case("a trailing user turn is fine", [user("a")], None, (), GEMINI_3_STRICT),
    Case(
        "a trailing result is fine",
        [user("a"), assistant(calls=[call("x")]), tool("x")],
        None,
        (),
        GEMINI_3_STRICT,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_tail(case: Case) -> None:
    """Only a refused trailing model turn gets a user turn behind it."""
    check(close_trailing_model_turn, case)
