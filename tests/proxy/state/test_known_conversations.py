"""Tests of what a process remembers of long conversations."""

from __future__ import annotations

from proxy.state.known_conversations import KnownConversations
from proxy.state.summaries import IndexEntry

_DAY_S = 86_400.0


def test_newest_request_is_the_longest_one() -> None:
    """A shorter request, such as a repetition, does not lower the number. Tenants have numbers of their own."""
    known = KnownConversations()
    for count in (12, 40, 14):
        known.note_request("blue", "root", count)
    assert known.newest("blue", "root") == 40
    assert known.newest("red", "root") == 0


def test_index_is_remembered_beside_the_number() -> None:
    """The index serves while the store does not answer."""
    known = KnownConversations()
    entries = (IndexEntry(10, 20, b"x" * 16),)
    known.note_request("blue", "root", 12)
    known.note_entries("blue", "root", entries)
    assert known.entries("blue", "root") == entries
    assert known.newest("blue", "root") == 12
    assert known.entries("red", "root") == ()


def test_used_summary_is_renewed_once_a_day() -> None:
    """The first use of a summary in this process needs no renewal, since the summary is new or was read."""
    known = KnownConversations()
    assert not known.should_renew("blue", "key", 0.0)
    assert not known.should_renew("blue", "key", _DAY_S - 1)
    assert known.should_renew("blue", "key", _DAY_S)
    assert not known.should_renew("blue", "key", _DAY_S + 1)
