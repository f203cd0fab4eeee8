"""Tests of the stored form of a process's spend."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.limits.spend_entry import SpendEntry, read_entry, write_entry

NUMBERS = st.integers(0, 2**53)
ENTRIES = st.builds(SpendEntry, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.none() | NUMBERS, NUMBERS)


@given(ENTRIES)
def test_entry_is_read_as_it_was_written(entry: SpendEntry) -> None:
    assert read_entry(write_entry(entry).encode()) == entry


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"1 2 3",
        b"1 2 3 4 5 6 7 8",
        b"1 2 3 4 5 6 -7",
        b"1 2 3 4 5 -- 7",
        b"1 2 3 4 5 6 7\n",
        b"1  3 4 5 6 7",
        b"1 2 3 4 5 6 " + b"9" * 17,
        b"1.0 2 3 4 5 6 7",
        "1 2 3 4 5 6 ٣".encode(),
    ],
)
def test_other_values_cannot_be_read(value: bytes) -> None:
    assert read_entry(value) is None


@given(st.binary(max_size=60))
def test_any_bytes_can_be_looked_at(value: bytes) -> None:
    read_entry(value)


@pytest.mark.parametrize(
    ("entry", "other", "is_newer"),
    [
        (SpendEntry(1, 0, 0, 0, 0), None, True),
        (SpendEntry(2, 0, 0, 0, 0), SpendEntry(1, 9, 9, 9, 9), True),
        (SpendEntry(1, 9, 9, 9, 9), SpendEntry(2, 0, 0, 0, 0), False),
        (SpendEntry(1, 0, 0, 0, 0), SpendEntry(1, 0, 0, 0, 0), False),
        (SpendEntry(1, 5, 5, 0, 0, None), SpendEntry(1, 0, 0, 0, 0, 5), True),
        (SpendEntry(1, 0, 0, 0, 0, 5), SpendEntry(1, 5, 5, 0, 0, None), False),
        (SpendEntry(2, 0, 0, 0, 0, 5), SpendEntry(1, 5, 5, 0, 0, None), True),
    ],
)
def test_newer_entry_is_known_by_version_and_charge(
    entry: SpendEntry, other: SpendEntry | None, is_newer: bool
) -> None:
    assert entry.is_newer_than(other) is is_newer


@given(ENTRIES, ENTRIES)
def test_of_two_entries_one_at_most_is_newer(one: SpendEntry, other: SpendEntry) -> None:
    assert not (one.is_newer_than(other) and other.is_newer_than(one))


def test_reservation_is_charged_once_it_has_expired() -> None:
    entry = SpendEntry(1, 10, 2, 3, 1, 5, 1_000)

    assert entry.charged_at(999) is entry
    assert entry.charged_at(1_000) == SpendEntry(1, 15, 7, 3, 1, None, 1_000)
    assert entry.charged_at(1_000).charged_at(2_000) == entry.charged_at(1_000)
    assert entry.charged_at(1_000).is_newer_than(entry)
