"""Applies the turn guard (:mod:`sanitizers.turns`) to an answer: holds back calls, and writes a missing text."""

from __future__ import annotations

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, Chunk
from proxy.forwarding.answer_stamp import AnswerStamp
from proxy.observability.request_record import RequestRecord
from sanitizers import Change
from sanitizers.turns import CallGate, Guarded
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
"""Causes of failure after tools were withheld: the model still calls a tool, or its answer has no text."""


def gate_of(guarded: Guarded | None) -> CallGate | None:
    """Return the gate that holds calls back in the answer to a *guarded* request, or None where all calls pass."""
    return guarded.gate if guarded is not None else None


def ends_turn(fault: UpstreamFault, guarded: Guarded | None) -> bool:
    """Return True where *fault* comes from a model whose tools were withheld.

    The client then gets a closing text that the proxy writes.

    The result is False for a provider that is down or busy.
    """
    gate = gate_of(guarded)
    return gate is not None and bool(gate.words) and fault.cause in _OF_THE_MODEL


def write_wrap_up_answer(record: RequestRecord, stamp: AnswerStamp) -> tuple[Answer, Change]:
    """Return the proxy's own closing answer for a turn that the turn guard ends, and the change to record."""
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


def stream_wrap_up_answer(record: RequestRecord, stamp: AnswerStamp) -> tuple[list[Chunk], Change]:
    """Return the answer of :func:`write_wrap_up_answer` as stream chunks, and the change to record."""
    answer, change = write_wrap_up_answer(record, stamp)
    [choice] = answer["choices"]
    chunk = {**answer, "object": "chat.completion.chunk"}
    said = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return [{**chunk, "choices": [one]} for one in (said, end)], change
