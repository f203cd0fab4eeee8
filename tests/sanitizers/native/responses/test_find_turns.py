"""Tests of the search for the turns that a changed message was made of."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from sanitizers.native.responses.find_turns import TurnFinder
from tests.sanitizers.native.responses.building import answered, called, projected, said

ITEMS = [
    said("Hi."),
    called("a"),
    answered("a"),
    said("First.", "assistant"),
    called("b", arguments='{"x": 1}'),
    answered("b"),
    said("Second.", "assistant"),
]
DONE = projected(*ITEMS)
FIRST, SECOND, THIRD = 1, 3, 5


def found(*messages: Any, kept: tuple[int, ...] = ()) -> list[list[int]]:
    """Return the places of the turns for each of *messages*."""
    finder = TurnFinder(DONE, kept)
    return [finder.find(message, None) for message in messages]


def test_turn_is_found_by_its_calls_and_by_its_text() -> None:
    """A call keeps its identity, its id, or its name and arguments."""
    calls = DONE.messages[FIRST]["tool_calls"]
    copied = deepcopy(DONE.messages[SECOND]["tool_calls"])
    renamed = [{**copied[0], "id": "other"}]

    assert found({"role": "assistant", "tool_calls": calls}) == [[FIRST]]
    assert found({"role": "assistant", "tool_calls": copied}) == [[SECOND]]
    assert found({"role": "assistant", "tool_calls": renamed}) == [[SECOND]]
    assert found({"role": "assistant", "content": "Second."}) == [[THIRD]]


def test_merged_turns_are_all_found() -> None:
    both = {
        "role": "assistant",
        "tool_calls": [*DONE.messages[FIRST]["tool_calls"], *DONE.messages[SECOND]["tool_calls"]],
    }

    assert found(both) == [[FIRST, SECOND]]


def test_turn_that_is_kept_or_was_found_is_not_found() -> None:
    again = {"role": "assistant", "content": "Second."}

    assert found(again, again) == [[THIRD], []]
    assert found(again, kept=(THIRD,)) == [[]]


def test_other_words_of_the_model_belong_to_no_turn() -> None:
    assert found({"role": "assistant", "content": "New."}, {"role": "assistant", "content": ""}) == [[], []]


def test_unchanged_message_is_its_own_turn_and_ends_what_is_before() -> None:
    finder = TurnFinder(DONE, ())

    assert finder.find(DONE.messages[SECOND], SECOND) == [SECOND]
    assert finder.find({"role": "assistant", "content": "First."}, None) == []
