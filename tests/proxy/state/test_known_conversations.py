"""Tests of what a process remembers of long conversations."""

from __future__ import annotations

from proxy.state.known_conversations import KnownConversations
from proxy.state.summaries import IndexEntry

_DAY_S = 86_400.0


def test_index_of_a_conversation_is_remembered() -> None:
    """The index serves while the store does not answer. Tenants have indexes of their own."""
    known = KnownConversations()
    entries = (IndexEntry(10, 20, b"x" * 16),)
    known.note_entries("blue", "root", entries)
    assert known.entries("blue", "root") == entries
    assert known.entries("red", "root") == ()


def test_used_summary_is_renewed_once_a_day() -> None:
    """The first use in a process renews a summary, since another process may have written it long ago."""
    known = KnownConversations()
    assert known.should_renew("blue", "key", 0.0)
    assert not known.should_renew("blue", "key", _DAY_S - 1)
    assert known.should_renew("blue", "key", _DAY_S)
    assert not known.should_renew("blue", "key", _DAY_S + 1)
