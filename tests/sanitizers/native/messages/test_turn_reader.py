"""Tests of reading the model's blocks into its open turn."""

from __future__ import annotations

import pytest

from sanitizers import Unrepairable
from sanitizers.changes import Change
from sanitizers.native.messages.open_turn import OpenTurn
from sanitizers.native.messages.read_parts import ReadParts
from sanitizers.native.messages.turn_reader import TurnReader
from tests.sanitizers.native.messages.building import image, said, used


def test_reader_notes_what_it_leaves_out_for_its_owner() -> None:
    """A block that no chat message carries is noted with its place, beside the words and calls of the turn."""
    read, changes, turn = ReadParts([], []), list[Change](), OpenTurn()
    TurnReader("", read, changes).read(turn, [said("x"), image(), used("a")], "messages.3.content", 3)

    message = turn.message()
    assert message is not None
    assert (message["content"], len(message["tool_calls"])) == ("x", 1)
    assert read.left_out == ["messages.3.content.1:image"]
    assert not changes


def test_reader_names_the_place_of_a_fault() -> None:
    """A fault has the place of its block."""
    with pytest.raises(Unrepairable) as caught:
        TurnReader("", ReadParts([], []), []).read(OpenTurn(), [said("x"), 1], "messages.3.content", 3)
    assert caught.value.param == "messages.3.content.1"
