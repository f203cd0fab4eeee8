"""The turn guard behind an answer: which calls reach the client, and what it gets where the model says nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Chunk
from proxy.observability.request_record import RequestRecord
from sanitizers import Change
from sanitizers.turns import CallGate, gate_answer
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


def gate_of(record: RequestRecord) -> CallGate | None:
    """Return what the answer to the request of *record* goes through; None where all of it passes."""
    return record.guarded.gate if record.guarded is not None else None


def ends_turn(fault: UpstreamFault, record: RequestRecord) -> bool:
    """Tell whether *fault* is that of a model whose tools were withheld: the client gets an answer all the same.

    A provider that is down or busy is no such fault.
    """
    gate = gate_of(record)
    return gate is not None and bool(gate.words) and fault.cause in _OF_THE_MODEL


def pass_calls(answer: dict[str, Any], record: RequestRecord) -> dict[str, Any]:
    """Return *answer* with the calls that may pass; what is held back is noted in *record*."""
    gate = gate_of(record)
    if gate is None:
        return answer
    passed, changes = gate_answer(answer, gate)
    note_held(changes, record)
    return passed


def note_held(changes: tuple[Change, ...], record: RequestRecord) -> None:
    """Add *changes* of the answer to those of the request of *record*."""
    plan = record.plan
    if changes and plan is not None:
        record.use_plan(replace(plan, later_changes=(*plan.later_changes, *changes)))


def write_last_words(record: RequestRecord, *, fallback_id: str, created: int) -> dict[str, Any]:
    """Return the answer to a request that was wrapped up and that no usable answer came to; noted in *record*."""
    gate, plan = gate_of(record), record.plan
    assert gate is not None
    assert plan is not None
    note_held((Change(STEP, "inserted", 0, "last_words"),), record)
    message = {"role": "assistant", "content": gate.words}
    return {
        "id": fallback_id,
        "object": "chat.completion",
        "created": created,
        "model": plan.deployment.model_id,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }


def stream_last_words(record: RequestRecord, *, fallback_id: str, created: int) -> list[Chunk]:
    """Return the same answer as the chunks of a stream."""
    answer = write_last_words(record, fallback_id=fallback_id, created=created)
    [choice] = answer["choices"]
    chunk = {**answer, "object": "chat.completion.chunk"}
    said = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return [{**chunk, "choices": [one]} for one in (said, end)]
