"""The turn guard behind an answer: which calls reach the client, and what it gets where the model says nothing."""

from __future__ import annotations

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, Chunk
from proxy.forwarding.answer_stamp import AnswerStamp
from proxy.observability.request_record import RequestRecord
from sanitizers import Change
from sanitizers.turns import CallGate, Guarded, gate_answer
from sanitizers.turns.gate_calls import STEP

_OF_THE_MODEL = frozenset(
    {
        Cause.EMPTY,
        Cause.INVALID_ARGUMENTS,
        Cause.MALFORMED_CALL,
        Cause.THINKING_ONLY,
        Cause.UNDECLARED_CALL,
        Cause.UNEXPECTED_CALL,
    }
)
"""What goes wrong with an answer when a model that may call no tool calls one, or has nothing to say."""


def gate_of(guarded: Guarded | None) -> CallGate | None:
    """Return what the answer to a *guarded* request goes through; None where all of it passes."""
    return guarded.gate if guarded is not None else None


def ends_turn(fault: UpstreamFault, guarded: Guarded | None) -> bool:
    """Tell whether *fault* is that of a model whose tools were withheld: the client gets an answer all the same.

    A provider that is down or busy is no such fault.
    """
    gate = gate_of(guarded)
    return gate is not None and bool(gate.words) and fault.cause in _OF_THE_MODEL


def pass_calls(answer: Answer, guarded: Guarded) -> tuple[Answer, tuple[Change, ...]]:
    """Return *answer* with the calls that may pass, and the changes: what is held back."""
    return (answer, ()) if guarded.gate is None else gate_answer(answer, guarded.gate)


def write_last_words(record: RequestRecord, stamp: AnswerStamp) -> tuple[Answer, Change]:
    """Return the answer to a request that was wrapped up and that no usable answer came to, and the change it is."""
    gate, plan = gate_of(record.guarded), record.plan
    assert gate is not None
    assert plan is not None
    message = {"role": "assistant", "content": gate.words}
    answer = {
        "id": stamp.id,
        "object": "chat.completion",
        "created": stamp.created,
        "model": plan.deployment.model_id,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    return answer, Change(STEP, "inserted", 0, "last_words")


def stream_last_words(record: RequestRecord, stamp: AnswerStamp) -> tuple[list[Chunk], Change]:
    """Return the same answer as the chunks of a stream, and the change it is."""
    answer, change = write_last_words(record, stamp)
    [choice] = answer["choices"]
    chunk = {**answer, "object": "chat.completion.chunk"}
    said = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return [{**chunk, "choices": [one]} for one in (said, end)], change
