"""Tests of the stored form of a cooldown and of its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.sharing.cooldown_entry import Closed, Cooldown, Entry, read_entry, write_entry


@pytest.mark.parametrize("entry", [Cooldown("a1", 12.5), Closed("a1")])
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
    assert read_entry(write_entry(entry)) == entry


def test_a_cooldown_lasts_an_hour_at_most() -> None:
    """The bound holds for entries of other versions, and for damaged entries."""
    assert read_entry(b'{"id":"a","seconds":1e300}') == Cooldown("a", 3_600.0)


@pytest.mark.parametrize(
    "value",
    [
        None,
        b"",
        b"\xff",
        b"[]",
        b"1",
        b'{"id":"a"}',
        b'{"id":"","seconds":1}',
        b'{"id":"a","seconds":0}',
        b'{"id":"a","seconds":-1}',
        b'{"id":"a","seconds":"9"}',
        b'{"id":7,"seconds":9}',
        b'{"closed":""}',
        b'{"closed":null}',
        b'{"closed":"' + b"a" * 65 + b'"}',
    ],
)
def test_other_values_are_no_entry(value: bytes | None) -> None:
    assert read_entry(value) is None


@given(value=st.binary(max_size=40))
def test_no_value_raises(value: bytes) -> None:
    """Any bytes may stand in a store that others write to."""
    entry = read_entry(value)
    assert entry is None or read_entry(write_entry(entry)) == entry
