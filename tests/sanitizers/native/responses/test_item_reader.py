"""Tests of reading one item after the other. ``test_project.py`` has the rules of each type."""

from __future__ import annotations

from sanitizers.native.protocol import Item, Span
from sanitizers.native.responses.item_reader import SUMMARY_START, ItemReader, ReadItems
from sanitizers.native.responses.item_types import type_of
from tests.sanitizers.native.responses.building import NO_TOOLS, answered, called, said, thought


def read(*items: Item, instructions: str = "", is_partial: bool = False) -> ReadItems:
    """Return what is read of *items*, in their order."""
    reader = ItemReader(items, [type_of(item, at) for at, item in enumerate(items)], NO_TOOLS)
    if instructions:
        reader.say_first(instructions)
    for at, item in enumerate(items):
        reader.add(at, type_of(item, at))
    return reader.finish(is_partial=is_partial)


def test_turn_of_the_model_ends_with_the_clients_next_item() -> None:
    done = read(said("go"), thought(), called("a"), answered("a"), said("on"), instructions="Be brief.")

    assert [message["role"] for message in done.messages] == ["system", "user", "assistant", "tool", "user"]
    assert done.spans == [
        Span(range(0), range(1)),
        Span(range(1), range(1, 2)),
        Span(range(1, 3), range(2, 3)),
        Span(range(3, 4), range(3, 4)),
        Span(range(4, 5), range(4, 5)),
    ]
    assert (done.changes, done.needs, done.wants_compaction) == ((), (), False)


def test_part_that_the_provider_holds_has_a_message_behind_the_instructions() -> None:
    """A message of the client's own needs none."""
    assert [message["role"] for message in read(instructions="Be brief.", is_partial=True).messages] == [
        "system",
        "user",
    ]
    assert len(read(said("go"), is_partial=True).messages) == 1


def test_summary_that_nobody_here_can_read_is_a_message_and_a_need() -> None:
    done = read(called("a"), {"type": "compaction", "encrypted_content": "gAAAA"})

    assert done.messages[0]["content"].startswith(SUMMARY_START)
    assert [need.rule for need in done.needs] == ["invalid_encrypted_content"]
    assert [change.reason for change in done.changes] == ["summarized"]
