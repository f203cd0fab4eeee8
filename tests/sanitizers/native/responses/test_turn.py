"""Tests of the model's open turn."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.responses.turn import OpenTurn, signed

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "a", "content": "x"}


@pytest.mark.parametrize(
    ("turn", "messages"),
    [
        (OpenTurn(), []),
        (OpenTurn(thoughts={"hm": 0}, signatures={"a": "S"}), []),
        (OpenTurn(texts=[""]), [{"role": "assistant", "content": ""}]),
        (OpenTurn(texts=["a", "", "b"]), [{"role": "assistant", "content": "a\n\nb"}]),
        (OpenTurn(texts=[""], calls=[CALL]), [{"role": "assistant", "content": None, "tool_calls": [CALL]}]),
        (
            OpenTurn(calls=[CALL], results=[RESULT]),
            [{"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT],
        ),
        (OpenTurn(refusals=["no"]), [{"role": "assistant", "content": None, "refusal": "no"}]),
        (
            OpenTurn(texts=["a"], thoughts={"hm": 0, "so": 1}),
            [{"role": "assistant", "content": "a", "reasoning_content": "hm\n\nso"}],
        ),
        (
            OpenTurn(texts=["a"], text_signature="S"),
            [{"role": "assistant", "content": "a", "extra_content": {"google": {"thought_signature": "S"}}}],
        ),
        (OpenTurn(texts=[""], text_signature="S"), [{"role": "assistant", "content": ""}]),
    ],
)
def test_turn_becomes_one_message_with_the_results_of_the_server(turn: OpenTurn, messages: list[Any]) -> None:
    """A turn is one message. Thoughts alone make none."""
    assert turn.messages() == messages


def test_words_of_a_refusal_are_no_text() -> None:
    """A refusal alone adds no empty text. An empty message adds one, since it is legal."""
    refused, empty = OpenTurn(), OpenTurn()
    refused.say("", "no")
    empty.say("", "")

    assert (refused.texts, refused.refusals) == ([], ["no"])
    assert (empty.texts, empty.refusals) == ([""], [])


def test_later_envelope_of_a_turn_adds_to_the_earlier_one() -> None:
    """The signatures of two envelopes are joined, and a later text's signature replaces the earlier one."""
    turn = OpenTurn()
    turn.add_signatures({"a": "1"}, "T", 3)
    turn.add_signatures({"b": "2"}, None, 5)

    assert (turn.signatures, turn.text_signature, turn.lost_at()) == ({"a": "1", "b": "2"}, "T", [5])


def test_thoughts_and_signatures_can_be_lost() -> None:
    """A turn without a message names the items with thoughts and signatures."""
    assert OpenTurn(thoughts={"hm": 2}, signed_at=1).lost_at() == [1, 2]


@pytest.mark.parametrize("signature", [None, ""])
def test_no_signature_is_no_field(signature: str | None) -> None:
    """A call without a signature has no field for it."""
    assert signed({"id": "a"}, signature) == {"id": "a"}


def test_envelope_goes_before_the_signature_on_the_call() -> None:
    """The envelope is trusted more than a field that a client kept."""
    call = {**CALL, "extra_content": {"google": {"thought_signature": "old"}}}
    [message] = OpenTurn(calls=[call], signatures={"a": "new"}).messages()

    assert message["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "new"}}


def test_calls_alone_are_taken_out_of_the_turn() -> None:
    """The turn is empty then, and its next calls are in another list."""
    turn = OpenTurn(calls=[CALL])

    assert turn.take_calls() == OpenTurn(calls=[CALL]).messages()
    assert (turn, turn.take_calls()) == (OpenTurn(), None)


@pytest.mark.parametrize(
    "said",
    [
        {"texts": [""]},
        {"refusals": ["no"]},
        {"thoughts": {"hm": 0}},
        {"signatures": {"a": "S"}},
        {"results": [{"role": "tool"}]},
        {"signed_at": 1},
    ],
)
def test_turn_with_anything_else_is_left_whole(said: dict[str, Any]) -> None:
    turn = OpenTurn(calls=[CALL], **said)

    assert (turn.take_calls(), turn.calls) == (None, [CALL])
