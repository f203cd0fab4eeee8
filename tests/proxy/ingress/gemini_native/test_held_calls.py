"""Tests of the calls of a stream, which come in pieces."""

from __future__ import annotations

from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.held_calls import HeldCalls
from tests.proxy.ingress.gemini_native.deltas import piece

CONTEXT = AnswerContext("m", "seed")
SIGNED = {"google": {"thought_signature": "QQ=="}}


def test_pieces_become_whole_calls_in_their_order() -> None:
    held = HeldCalls()
    held.add([piece(1, '{"a"', begins=True)])
    held.add([piece(0, "{}", begins=True), piece(1, ":1}", extra_content=SIGNED)])
    first, second = held.take(CONTEXT, 0)

    assert (first["id"], first["function"]) == ("call_0", {"name": "f0", "arguments": "{}"})
    assert (second["id"], second["function"]["arguments"]) == ("call_1", '{"a":1}')
    assert second["extra_content"] == SIGNED


def test_relayed_call_says_nothing_new() -> None:
    held = HeldCalls()
    held.relay([piece(0, "{}", begins=True)])
    held.add([piece(0, "", extra_content=SIGNED), piece(1, "{}", begins=True)])

    assert [call["id"] for call in held.take(CONTEXT, 0)] == ["call_1"]


def test_older_form_of_a_call_is_joined() -> None:
    held = HeldCalls()
    for legacy in ({"name": "f", "arguments": ""}, {"arguments": '{"a"'}, {"arguments": ":1}"}):
        held.add_legacy(legacy)
    [call] = held.take(CONTEXT, 3)

    assert call["function"] == {"name": "f", "arguments": '{"a":1}'}
    assert call["id"] == CONTEXT.legacy_call_id(3)
