"""Tests of writing a changed turn of the model with the blocks that stay."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.messages.project import project
from sanitizers.native.messages.rewrite_turn import rewrite_turn
from tests.sanitizers.native.messages.building import Item, assistant, said, thought, used, user

BLOCKS = [thought("S1"), used("a", x=1), thought("S2"), used("b", x=2), said("end", x=3)]


def message_of(*blocks: Item) -> dict[str, Any]:
    """Return the chat message of a turn with *blocks*."""
    return project([user("go"), assistant(*blocks)]).messages[1]


def test_unchanged_turn_keeps_all_blocks() -> None:
    """A copy of the message says the same."""
    before = message_of(*BLOCKS)

    assert [*map(id, rewrite_turn({**before}, [before], BLOCKS))] == [*map(id, BLOCKS)]


def test_turn_without_a_source_is_written_from_its_message() -> None:
    """A turn that no client wrote has no blocks."""
    assert rewrite_turn({"role": "assistant", "content": "x"}, [], []) == [said("x")]


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"thinking_blocks": None}, [used("a", x=1), used("b", x=2), said("end", x=3)]),
        ({"content": None}, BLOCKS[:-1]),
        ({"tool_calls": None}, [BLOCKS[0], BLOCKS[2], BLOCKS[4]]),
    ],
)
def test_what_is_gone_has_no_block(change: dict[str, Any], kept: list[Item]) -> None:
    """The other blocks stay in their places."""
    before = message_of(*BLOCKS)
    after = {name: value for name, value in {**before, **change}.items() if value is not None}

    assert rewrite_turn(after, [before], BLOCKS) == kept


def test_added_call_is_last_and_added_text_before_the_calls() -> None:
    """A text behind a call was seen to be refused."""
    before = message_of(used("a"))
    call = {"id": "z", "type": "function", "function": {"name": "g", "arguments": '{"p":1}'}}
    after = {**before, "content": "text", "tool_calls": [*before["tool_calls"], call]}

    assert rewrite_turn(after, [before], [used("a")]) == [said("text"), used("a"), used("z", "g", {"p": 1})]


def test_joined_turns_keep_the_blocks_of_both() -> None:
    """Two turns that became one message keep their thinking and calls in order."""
    first, second = [thought("S1"), used("a")], [thought("S2"), used("b")]
    before = [message_of(*first), message_of(*second)]
    after = {**before[0], "tool_calls": [*before[0]["tool_calls"], *before[1]["tool_calls"]]}

    assert rewrite_turn(after, before, [*first, *second]) == [*first, *second]
