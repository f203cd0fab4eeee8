"""Tests of writing changed chat messages back into native ones."""

from __future__ import annotations

from typing import Any

from sanitizers.native.messages.apply import apply_messages
from sanitizers.native.messages.changed_messages import ChangedMessages
from sanitizers.native.messages.project import project
from tests.sanitizers.native.messages.building import (
    MARK,
    Item,
    answered,
    assistant,
    image,
    inline,
    said,
    thought,
    used,
    user,
)

SYSTEM = [said("x-anthropic-billing-header: cch=1"), said("Be brief.", **MARK)]
ITEMS = [
    user(said("go", **MARK), image()),
    assistant(
        thought("S1"), said("x", citations=[]), thought("S2"), used("a", caller={"type": "direct"}), used("b")
    ),
    user(answered("a", [said("A"), image()], **MARK), answered("b"), said("and?", **MARK)),
    inline("Now."),
    assistant("done"),
]


def written(change: Any, items: list[Item] = ITEMS, system: Any = None) -> ChangedMessages:
    """Return *items* after *change*, which gets the chat messages and returns others."""
    projected = project(items, system)
    return apply_messages(items, projected, system, change([*projected.messages]))


def test_dropped_call_leaves_the_other_blocks() -> None:
    """Thinking stays in its place, and the other call keeps its unknown fields."""

    def drop(messages: list[Any]) -> list[Any]:
        turn = {**messages[1], "tool_calls": messages[1]["tool_calls"][:1]}
        return [messages[0], turn, messages[2], *messages[4:]]

    done = written(drop)

    assert done.items[0] is ITEMS[0]
    assert done.items[1] == assistant(*ITEMS[1]["content"][:-1])
    assert done.items[2] == user(ITEMS[2]["content"][0], ITEMS[2]["content"][2])
    assert done.items[3:] == ITEMS[3:]
    assert done.origins == (0, 1, 2, 3, 4)


def test_changed_text_stands_in_its_place() -> None:
    """A new text of the model replaces the old one between its thoughts."""
    done = written(lambda messages: [messages[0], {**messages[1], "content": "new"}, *messages[2:]])

    assert done.items[1] == assistant(thought("S1"), said("new"), thought("S2"), *ITEMS[1]["content"][3:])


def test_changed_result_keeps_its_marks_and_the_rest_of_its_message() -> None:
    """A shortened result is written anew, and its neighbours stay the same blocks."""

    def shorten(messages: list[Any]) -> list[Any]:
        return [*messages[:2], {**messages[2], "content": "[cut]"}, *messages[3:]]

    blocks = written(shorten).items[2]["content"]

    assert blocks[0] == answered("a", "[cut]", **MARK)
    assert blocks[1] is ITEMS[2]["content"][1]
    assert blocks[2] is ITEMS[2]["content"][2]


def test_part_of_a_changed_message_keeps_its_block() -> None:
    """Only the part that was left out is gone, and the other block stays the same object."""
    done = written(lambda messages: [{**messages[0], "content": messages[0]["content"][:1]}, *messages[1:]])

    assert done.items[0]["content"][0] is ITEMS[0]["content"][0]
    assert len(done.items[0]["content"]) == 1


def test_inserted_result_stands_first() -> None:
    """A result that was missing joins the others before the user's words."""
    items = [user("go"), assistant(used("a"), used("b")), user(answered("a"), said("x"))]
    missing = {"role": "tool", "tool_call_id": "b", "content": "none"}

    done = written(lambda messages: [*messages[:3], missing, messages[3]], items)

    assert done.items[2] == user(answered("a"), answered("b", "none"), said("x"))


def test_renamed_call_keeps_its_block() -> None:
    """A call with another id is the same call."""

    def rename(messages: list[Any]) -> list[Any]:
        calls = [{**messages[1]["tool_calls"][0], "id": "z"}, messages[1]["tool_calls"][1]]
        return [
            messages[0],
            {**messages[1], "tool_calls": calls},
            {**messages[2], "tool_call_id": "z"},
            *messages[3:],
        ]

    done = written(rename)

    assert done.items[1]["content"][3] == used("z", caller={"type": "direct"})
    assert done.items[2]["content"][0] == answered("z", [said("A"), image()], **MARK)


def test_instructions_stand_before_the_clients_own() -> None:
    """The client's blocks of ``system`` stay, and its billing line stays first."""
    operator = {"role": "system", "content": "Operator."}
    done = written(lambda messages: [operator, *messages], system=SYSTEM)

    assert done.system == [SYSTEM[0], said("Operator."), SYSTEM[1]]
    assert done.items is ITEMS


def test_dropped_system_is_none() -> None:
    """A system message that is gone leaves an empty field."""
    done = written(lambda messages: messages[1:], system="Be brief.")

    assert done.system == []


def test_turn_of_thinking_alone_stays_with_its_neighbours() -> None:
    """No chat message holds it, and it stays where it was."""
    items = [user("go"), assistant(thought()), user("and?"), assistant("x"), user("y")]

    done = written(lambda messages: [messages[0], {**messages[1], "content": "or?"}, *messages[2:]], items)

    assert done.items == [user("go"), assistant(thought()), user(said("or?")), assistant("x"), user("y")]


def test_message_that_is_there_twice_is_written_once_as_it_came() -> None:
    """Each of the client's messages goes out once, in its place."""
    done = written(lambda messages: [*messages, messages[0]])

    assert sum(item is ITEMS[0] for item in done.items) == 1
    assert done.items[5] == ITEMS[0]


def test_inserted_turns_are_written_anew() -> None:
    """Messages that no client wrote are written where they stand."""
    added = [{"role": "assistant", "content": "Understood."}, {"role": "system", "content": "Later."}]

    done = written(lambda messages: [*messages, *added, {"role": "user", "content": "Go on."}])

    assert done.items[5:] == [
        assistant(said("Understood.")),
        {"role": "system", "content": [said("Later.")]},
        user(said("Go on.")),
    ]
    assert done.origins == (0, 1, 2, 3, 4, 4, 4, 4)
