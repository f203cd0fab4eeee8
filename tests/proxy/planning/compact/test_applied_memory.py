"""Tests of a history with a memory in place of its older messages, and of the indexes in that history."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.applied_memory import AppliedMemory
from tests.proxy.planning.compact.compact_histories import session
from tests.support.builders import user

MEMORY = user("The memory.")


def memory_at(start: int, end: int, pinned: tuple[int, ...] = ()) -> AppliedMemory:
    """Return a memory in place of the messages from *start* up to *end*."""
    return AppliedMemory(MEMORY, start, end, pinned, 10, 1, 0, "cheap")


def test_memory_stands_behind_the_first_messages_and_before_the_pinned_ones() -> None:
    """Every other message is the client's own object."""
    messages = session(6)
    applied = memory_at(2, 8, (3, 6)).apply_to(messages)
    expected = [*messages[:2], MEMORY, messages[3], messages[6], *messages[8:]]
    assert [*map(id, applied)] == [*map(id, expected)]


def test_change_names_the_replaced_messages() -> None:
    """The change has indexes alone, and no text."""
    change = memory_at(2, 8).change
    assert (change.step, change.kind, change.index, change.reason) == ("compaction", "replaced", 2, "summary")
    assert change.detail == "messages 2-7"


@given(st.data())
def test_each_message_is_found_by_its_origin(data: st.DataObject) -> None:
    """The change list speaks of the client's indexes."""
    messages = session(8)
    start = data.draw(st.integers(1, 4))
    end = data.draw(st.integers(start + 1, len(messages)))
    pinned = tuple(sorted(data.draw(st.sets(st.integers(start, end - 1), max_size=3))))
    memory = memory_at(start, end, pinned)
    applied = memory.apply_to(messages)
    for at, message in enumerate(applied):
        if message is not MEMORY:
            assert messages[memory.origin_of(at)] is message
    assert memory.origin_of(start) == start
