"""Tests of the turn guard's gate: the faults that end a turn, and the answer that wraps up a turn."""

from __future__ import annotations

import pytest

from proxy.core.errors import UpstreamFault, UpstreamTimeout
from proxy.core.failures import Cause
from proxy.forwarding.answer_stamp import AnswerStamp
from proxy.forwarding.chat.gate_answer import (
    ends_turn,
    gate_of,
    stream_wrap_up_answer,
    write_wrap_up_answer,
)
from proxy.observability.request_record import RequestRecord
from sanitizers import Change
from sanitizers.turns import CallGate, Guarded, Turn
from tests.proxy.inspector.looking import parse, run
from tests.support.builders import user

WRAPPED_UP = CallGate(closed=True, words="That is all.")


def guarded(gate: CallGate | None) -> Guarded:
    """Return a request whose answer goes through *gate*."""
    return Guarded((), {}, Turn("enforce", 25, 25), gate=gate)


@pytest.mark.parametrize(
    ("fault", "gate", "ends"),
    [
        (UpstreamFault("x", cause=Cause.EMPTY), WRAPPED_UP, True),
        (UpstreamFault("x", cause=Cause.UNDECLARED_CALL), WRAPPED_UP, True),
        (UpstreamFault("x", cause=Cause.EMPTY), CallGate(2), False),
        (UpstreamFault("x", cause=Cause.EMPTY), None, False),
        (UpstreamFault("x", upstream_status=503), WRAPPED_UP, False),
        (UpstreamTimeout("x"), WRAPPED_UP, False),
    ],
)
def test_fault_of_a_model_without_tools_ends_its_turn(
    fault: UpstreamFault, gate: CallGate | None, ends: bool
) -> None:
    """Only a fault of the model itself ends the turn, and only where its tools were withheld."""
    assert ends_turn(fault, guarded(gate)) is ends


def test_unguarded_answer_has_no_gate_and_ends_no_turn() -> None:
    """A request without a turn guard has no gate for its answer, and no fault ends its turn."""
    assert gate_of(None) is None
    assert ends_turn(UpstreamFault("x", cause=Cause.EMPTY), None) is False


def test_wrapped_up_turn_has_the_same_answer_whole_and_streamed() -> None:
    """The answer that wraps up a turn has the request's id and time, the deployment's model id, and ``stop``."""
    record = RequestRecord("req_1", "/v1/chat/completions", 0.0, guarded=guarded(WRAPPED_UP))
    plan = run(parse([user()]), "openai").sent
    assert plan is not None
    record.use_plan(plan)
    stamp = AnswerStamp("chatcmpl-1", 7)
    whole, change = write_wrap_up_answer(record, stamp)
    chunks, streamed = stream_wrap_up_answer(record, stamp)

    assert change == streamed == Change("turns", "inserted", 0, "last_words")
    assert (whole["id"], whole["created"], whole["model"]) == ("chatcmpl-1", 7, plan.deployment.model_id)
    assert whole["choices"][0]["message"]["content"] == "That is all."
    assert whole["choices"][0]["finish_reason"] == "stop"
    assert [chunk["choices"][0]["delta"].get("content") for chunk in chunks] == ["That is all.", None]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None, "stop"]
    assert {(chunk["id"], chunk["object"]) for chunk in chunks} == {("chatcmpl-1", "chat.completion.chunk")}
