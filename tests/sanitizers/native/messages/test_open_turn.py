"""Tests of the model's open turn while its blocks are read."""

from __future__ import annotations

from typing import Any

from sanitizers.native.messages.open_turn import OpenTurn
from tests.sanitizers.native.messages.building import thought


def call(call_id: str) -> dict[str, Any]:
    """Return a call of a chat message."""
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_texts_apart_are_divided_and_counted() -> None:
    """The places of a turn with thinking in between cover each character of its text, the division among them."""
    turn = OpenTurn()
    turn.say("ab", None)
    turn.say("c", None)
    turn.think(thought())
    turn.say("d", None)
    message = turn.message()

    assert message is not None
    assert message["content"] == "abc\n\nd"
    lengths = [entry["length"] for entry in message["thinking_blocks"] if entry["type"] == "text"]
    assert sum(lengths) == len(message["content"])


def test_text_of_the_next_message_is_another_text() -> None:
    """Two messages in a row are divided, even if each is one block."""
    turn = OpenTurn()
    turn.say("a", None)
    turn.end_message()
    turn.say("b", None)
    message = turn.message()

    assert message is not None
    assert message["content"] == "a\n\nb"


def test_turn_with_calls_alone_has_no_text() -> None:
    """The content is null, as OpenAI writes it."""
    turn = OpenTurn()
    turn.call(call("a"))

    assert turn.message() == {"role": "assistant", "content": None, "tool_calls": [call("a")]}


def test_blank_turn_is_a_message_that_the_steps_judge() -> None:
    """A turn that the client wrote without any text is no turn of thinking alone."""
    blank, thinking = OpenTurn(), OpenTurn()
    blank.say("", None)
    thinking.think(thought())

    assert blank.message() == {"role": "assistant", "content": ""}
    assert thinking.message() is None


def test_unsigned_thoughts_are_a_text_of_their_own() -> None:
    """Models that want their thoughts back read them as a text."""
    turn = OpenTurn()
    turn.thoughts += ["a", "b"]
    turn.say("x", None)
    message = turn.message()

    assert message is not None
    assert message["reasoning_content"] == "a\n\nb"
    assert "thinking_blocks" not in message
