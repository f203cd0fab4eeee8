"""Tests of the ``tail`` step, which closes a trailing model turn that the model refuses."""

from __future__ import annotations

import pytest

from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import ANTHROPIC, ANTHROPIC_STRICT, DEEPSEEK, DEEPSEEK_REASONER, MISTRAL
from sanitizers.steps.tail import close_trailing_model_turn
from sanitizers.synthetic import CONTINUE
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, tool, user

GO = user("a")
PREFILL = [GO, assistant("Great, a table for")]

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
    Case(
        "a model turn is the last one before a system message too",
        [*PREFILL, {"role": "system", "content": "b"}],
        [*PREFILL, {"role": "system", "content": "b"}, user(CONTINUE)],
        [("inserted", 1, "trailing_model_turn")],
        DEEPSEEK_REASONER,
    ),
    Case("a trailing user turn is fine", [user("a")], None, (), GEMINI_3_STRICT),
    Case(
        "a trailing result is fine",
        [user("a"), assistant(calls=[call("x")]), tool("x")],
        None,
        (),
        GEMINI_3_STRICT,
    ),
    Case(
        "what is no prefill is closed where it has to say so",
        [GO, assistant("b", prefix=False)],
        [GO, assistant("b", prefix=False), user(CONTINUE)],
        [("inserted", 1, "trailing_model_turn")],
        MISTRAL,
    ),
    Case("prefill that says so is left alone", [GO, assistant("b", prefix=True)], None, (), MISTRAL),
    Case(
        "saying so helps only where it is asked for",
        [GO, assistant("b", prefix=True)],
        [GO, assistant("b", prefix=True), user(CONTINUE)],
        [("inserted", 1, "trailing_model_turn")],
        ANTHROPIC_STRICT,
    ),
    Case(
        "prefill loses its last whitespace where it may have none",
        [GO, assistant(" Great,\nfor \n", name="n")],
        [GO, assistant(" Great,\nfor", name="n")],
        [("replaced", 1, "trailing_space")],
        ANTHROPIC,
    ),
    Case("prefill without any is left alone", PREFILL, None, (), ANTHROPIC),
    Case("whitespace is fine where nothing is said of it", [GO, assistant("b ")], None, (), DEEPSEEK),
    Case("whitespace of an earlier turn is fine", [GO, assistant("b "), GO], None, (), ANTHROPIC),
    Case(
        "what is closed keeps its whitespace",
        [GO, assistant("b ")],
        [GO, assistant("b "), user(CONTINUE)],
        [("inserted", 1, "trailing_model_turn")],
        ANTHROPIC_STRICT,
    ),
    Case("nothing at all stays nothing", [], None, (), ANTHROPIC),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_only_a_refused_trailing_model_turn_gets_a_user_turn(case: Case) -> None:
    """A trailing model turn that the model accepts may only lose its trailing whitespace."""
    check(close_trailing_model_turn, case)
