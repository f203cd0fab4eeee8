"""The journal of requests is bounded in entries and in bytes."""

from __future__ import annotations

from proxy.emulator.journal import Entry, Journal
from tests.proxy.emulator.wire import V3


def test_oldest_entries_are_dropped() -> None:
    """A journal drops its oldest entries where it has too many entries or too many bytes.

    The newest entry stays even where it alone is over the limit.
    """
    entries = [Entry("POST", f"/{i}", V3, stream=False, body=b"{}  ") for i in range(5)]
    few, small = Journal(2), Journal(10, max_bytes=9)
    for entry in entries:
        few.open(entry)
        small.open(entry)
    small_after = [e["path"] for e in small.as_json()]
    small.open(Entry("POST", "/large", V3, stream=False, body=b" " * 100))

    assert [e["path"] for e in few.as_json()] == ["/3", "/4"]
    assert small_after == ["/3", "/4"]
    assert [e["path"] for e in small.as_json()] == ["/large"]


def test_entries_are_the_kept_requests_with_their_bodies() -> None:
    """The entries are the journal's own, oldest first, so that a later outcome is seen in them."""
    journal = Journal(2)
    opened = [journal.open(Entry("POST", f"/{i}", V3, stream=False, body=b"{}")) for i in range(3)]
    kept = journal.entries
    opened[2].status = 200

    assert kept == (opened[1], opened[2])
    assert kept[1].status == 200
