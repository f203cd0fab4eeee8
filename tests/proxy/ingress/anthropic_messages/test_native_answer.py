"""Tests of the client's names in a whole answer of Claude's."""

from __future__ import annotations

from typing import Any

from proxy.ingress.anthropic_messages.native_answer import own_answer, own_block, own_message

CALL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}, "caller": {"type": "direct"}}


def answered(*calls: dict[str, Any]) -> dict[str, Any]:
    """Return a canonical answer with *calls*."""
    return {"choices": [{"message": {"tool_calls": [*calls]}}]}


def call(call_id: str, name: str = "f") -> dict[str, Any]:
    """Return a canonical call."""
    return {"id": call_id, "function": {"name": name, "arguments": "{}"}}


def test_only_the_models_name_changes() -> None:
    native = {"id": "msg_1", "model": "claude-opus", "content": [CALL], "unknown": 1}
    own = own_answer(native, answered(call("toolu_1")), "asked")

    assert own == {**native, "model": "asked"}
    assert own["content"][0] is CALL
    assert native["model"] == "claude-opus"
    assert list(own) == list(native)


def test_ids_and_names_of_calls_are_canonical() -> None:
    native = {"model": "m", "content": [{"type": "text", "text": "A"}, CALL, {**CALL, "id": "toolu_2"}, 7]}
    own = own_answer(native, answered(call("call_1", "g"), call("toolu_2")), "asked")

    assert own["content"][1] == {**CALL, "id": "call_1", "name": "g"}
    assert own["content"][2:] == [{**CALL, "id": "toolu_2"}, 7]


def test_call_without_a_canonical_one_stays() -> None:
    native = {"model": "m", "content": [CALL]}

    assert own_answer(native, answered(), "asked")["content"] == [CALL]
    assert own_answer({"model": "m", "content": None}, answered(), "asked")["content"] is None


def test_piece_without_id_and_name_changes_nothing() -> None:
    assert own_block(CALL, {"function": {"arguments": "{}"}}) is CALL
    assert own_message({"model": "m"}, "asked") == {"model": "asked"}
