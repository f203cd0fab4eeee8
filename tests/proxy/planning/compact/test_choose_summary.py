"""Tests of which stored summary serves a history."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.planning.compact.choose_summary import (
    apply_summary,
    matching_entries,
    start_of,
    tokens_with,
)
from proxy.state.summaries import IndexEntry, Reflection, Summary
from tests.proxy.planning.compact.compact_histories import digests_of, measured, session
from tests.support.builders import assistant, call, system, tool, user

MESSAGES = session(10)
HISTORY = digests_of(MESSAGES)
SUMMARY = Summary(12, (), "m" * 100, 90, None, (Reflection(2, 12, "text"),), 1_700_000_000, "cheap")


def entry_at(end: int, since: int = 0) -> IndexEntry:
    """Return an entry for the first *end* messages of the history."""
    return IndexEntry(end, since, HISTORY.chain[end])


def test_longest_matching_summary_comes_first() -> None:
    """Entries of another branch and entries that would cover kept messages do not match."""
    entries = [entry_at(6), entry_at(12), IndexEntry(14, 0, b"other branch 16!"), entry_at(18)]
    assert matching_entries(entries, HISTORY, 10) == [entry_at(12), entry_at(6)]
    assert matching_entries(entries, HISTORY, 4)[0] == entry_at(18)


def test_entry_that_would_split_a_round_does_not_match() -> None:
    """A client may add a late result for a replaced call. The result would lose its call."""
    assert matching_entries([entry_at(13)], HISTORY, 4) == []


def test_many_entries_match_as_single_ones_do() -> None:
    """A long conversation has up to 64 entries, whose places are checked together."""
    entries = [entry_at(end) for end in range(3, 19)]
    single = [entry for entry in entries if matching_entries([entry], HISTORY, 4)]
    assert matching_entries(entries, HISTORY, 4) == single[::-1]
    assert len(single) == 8


def test_memory_starts_behind_the_late_result_of_an_earlier_call() -> None:
    """The call stays before the memory, so its result must not be replaced."""
    early = [system(), assistant(None, [call("c", "read")]), user("Go on."), tool("c", "late"), *session(4)]
    assert start_of(early) == 4
    assert start_of([*early[:2], tool("c", "at once"), *early[2:3], *session(4)]) == 4
    assert start_of(early[:3]) == 3


def test_edited_history_keeps_the_summaries_before_the_edit() -> None:
    """An edit changes the digests behind it alone."""
    edited = digests_of([*MESSAGES[:9], assistant("Edited."), *MESSAGES[10:]])
    assert matching_entries([entry_at(6), entry_at(12)], edited, 4) == [entry_at(6)]


def test_entry_for_longer_histories_is_among_the_matching_ones() -> None:
    """The caller sends such a history whole, and commissions no other summary meanwhile."""
    assert matching_entries([entry_at(12, since=40)], HISTORY, 4) == [entry_at(12, since=40)]


def test_conversation_is_found_by_its_first_messages() -> None:
    """The root stays the same while the conversation grows."""
    assert digests_of(MESSAGES[:4]).root == HISTORY.root
    assert digests_of(session(10), "red").root != HISTORY.root


@pytest.mark.parametrize(
    ("messages", "expected"),
    [([], None), ([system()], None), ([system(), user()], 2), ([assistant("a"), user(), user()], 2)],
)
def test_history_starts_after_the_users_first_message(
    messages: list[dict[str, object]], expected: int | None
) -> None:
    """Messages before it are never replaced."""
    assert start_of(messages) == expected


def test_memory_is_applied_with_its_facts() -> None:
    """The replaced messages had ten tokens each, and the memory has a hundred characters."""
    sizes = measured([20] * len(MESSAGES))
    memory = apply_summary(SUMMARY, entry_at(12), HISTORY, sizes, 4_000)
    assert memory is not None
    assert memory.apply_to(MESSAGES) == [*MESSAGES[:2], memory.message, *MESSAGES[12:]]
    assert (memory.tokens, memory.reflections, memory.created) == (100, 1, 1_700_000_000)
    assert tokens_with(memory, sizes) == 20 * 12 + 100
    assert tokens_with(None, sizes) == 20 * 22


@pytest.mark.parametrize(
    "summary",
    [
        replace(SUMMARY, text=""),
        replace(SUMMARY, end=10),
        replace(SUMMARY, pinned=(12,)),
        replace(SUMMARY, pinned=(1,)),
    ],
)
def test_summary_that_is_empty_or_does_not_belong_here_is_not_used(summary: Summary) -> None:
    """A store may hold a value of another history only by a fault."""
    assert apply_summary(summary, entry_at(12), HISTORY, measured([20] * len(MESSAGES)), 4_000) is None


def test_memory_above_the_limit_of_its_tokens_is_not_used() -> None:
    """The operator may have lowered the limit since the summary was written.

    The tokens of that time count, since the present estimate may differ from process to process.
    """
    sizes = measured([20] * len(MESSAGES))
    assert apply_summary(SUMMARY, entry_at(12), HISTORY, sizes, 90) is not None
    assert apply_summary(SUMMARY, entry_at(12), HISTORY, sizes, 89) is None
