"""The facts of a request give the head of its response, and the time of its end."""

from __future__ import annotations

from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.echo import ResponseHead, make_echo
from sanitizers.native.responses.tools import read_tools


def context(created_at: int = 5, **facts: object) -> AnswerContext:
    """Return the facts of a request for the model `m`."""
    head = ResponseHead("resp_1", created_at, make_echo({"model": "m"}))
    return AnswerContext(head, read_tools(None, ()), **facts)  # type: ignore[arg-type]


def test_the_model_is_the_one_that_answers() -> None:
    """Before an answer it is the model that was asked for."""
    made = context()

    assert made.head_for("gemini-x").echo["model"] == "gemini-x"
    assert made.head_for("") is not None
    assert made.head_for("").echo["model"] == "m"
    assert made.head.echo["model"] == "m"


def test_the_times_are_those_of_the_response() -> None:
    """A head without a time takes the answer's, and a clock says when the answer was complete."""
    assert context().head_for("x", 9).created_at == 5
    assert context(0).head_for("x", 9).created_at == 9
    assert context().completed_at(5) == 5
    assert context(clock=lambda: 7.9).completed_at(5) == 7


def test_logprobs_are_shown_where_they_were_asked_for() -> None:
    """Other entries of `include` change nothing."""
    assert context(include=frozenset({"message.output_text.logprobs"})).shows_logprobs
    assert not context(include=frozenset({"reasoning.encrypted_content"})).shows_logprobs
