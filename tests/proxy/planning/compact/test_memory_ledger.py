"""Tests of the ledger: the order in which entries are kept, and its text."""

from __future__ import annotations

from itertools import accumulate

from proxy.planning.compact.memory_ledger import Entry, order_entries, write_ledger
from tests.support.builders import assistant, user

RULES = [user(f"Rule number {number}: {'word ' * 30}") for number in range(40)]
PATHS = [assistant(f"src/part_{number}/file.py") for number in range(200)]
IDS = [assistant(f"TICKET-{number}") for number in range(200)]


def test_half_of_every_beginning_is_the_user_s_words() -> None:
    """The other half is shared by the kinds evenly, in characters."""
    entries = order_entries([*RULES, *PATHS, *IDS])
    for count in (20, 50, 100):
        lengths = {
            kind: sum(len(entry.text) + 2 for entry in entries[:count] if entry.kind == kind)
            for kind in ("user", "path", "id")
        }

        assert abs(lengths["path"] - lengths["id"]) <= 40
        assert lengths["user"] >= 5 * min(lengths["path"], lengths["id"])


def test_room_that_one_kind_does_not_need_goes_to_the_others() -> None:
    entries = order_entries([*PATHS, *IDS[:2], user("Be brief.")])

    assert {entry.kind for entry in entries[:5]} == {"user", "id", "path"}
    assert sum(entry.kind == "path" for entry in entries) == 200


def test_entries_of_a_kind_are_newest_first() -> None:
    entries = order_entries([*RULES, *PATHS])

    assert [entry.text.split()[2] for entry in entries if entry.kind == "user"][:3] == ["39:", "38:", "37:"]
    assert next(entry.text for entry in entries if entry.kind == "path") == "src/part_199/file.py"


def test_each_beginning_of_the_order_is_a_beginning_of_the_longer_ones() -> None:
    """A ledger in less room holds no entry that a ledger in more room would lack."""
    entries = order_entries([*RULES, *PATHS, *IDS])
    texts = accumulate(entries, lambda before, entry: {*before, entry}, initial=set[Entry]())

    assert len(list(texts)) == len(entries) + 1 == len(set(entries)) + 1


def test_ledger_has_a_section_for_each_kind() -> None:
    """The sections have a fixed order. Texts of several words have lines of their own."""
    entries = [
        Entry("address", "a.example:80"),
        Entry("path", "b.py"),
        Entry("user", "Two\nlines."),
        Entry("path", "a.py (read)"),
        Entry("command", "make → exit code 2"),
        Entry("user", "One."),
    ]

    assert write_ledger(entries) == (
        "The user said, newest first:\n- Two\nlines.\n- One.\n"
        "Commands that failed:\n- make → exit code 2\n"
        "Paths, with the tools that were used on them: b.py, a.py (read)\n"
        "Addresses: a.example:80"
    )
