"""Tests of the stored form of summaries and of their index."""

from __future__ import annotations

import random
import zlib
from string import ascii_lowercase

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.external.sealed_entries import LARGEST_VALUE
from proxy.state.summaries import (
    MAX_ENTRIES,
    IndexEntry,
    Reflection,
    Summary,
    pack_index,
    pack_reflection,
    pack_summary,
    unpack_index,
    unpack_reflection,
    unpack_summary,
    with_entry,
)

_NUMBERS = st.integers(0, 2**32 - 1)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
_REFLECTIONS = st.builds(Reflection, _NUMBERS, _NUMBERS, _TEXTS)
_SUMMARIES = st.builds(
    Summary,
    _NUMBERS,
    st.lists(_NUMBERS, max_size=3).map(tuple),
    _TEXTS,
    _NUMBERS,
    st.none() | _REFLECTIONS,
    st.lists(_REFLECTIONS, max_size=3).map(tuple),
    _NUMBERS,
    _TEXTS,
)
_ENTRIES = st.builds(IndexEntry, _NUMBERS, _NUMBERS, st.binary(min_size=16, max_size=16))


@given(_SUMMARIES)
def test_summary_is_unpacked_as_it_was_packed(summary: Summary) -> None:
    """A summary is the same in every process that reads it."""
    assert unpack_summary(pack_summary(summary)) == summary


@given(_REFLECTIONS)
def test_reflection_is_unpacked_as_it_was_packed(reflection: Reflection) -> None:
    """A reflection that stands for others is stored by itself."""
    assert unpack_reflection(pack_reflection(reflection)) == reflection


@given(st.lists(_ENTRIES, max_size=MAX_ENTRIES))
def test_index_is_unpacked_as_it_was_packed(entries: list[IndexEntry]) -> None:
    """An index of 64 entries has less than 4 KiB."""
    packed = pack_index(entries)
    assert unpack_index(packed) == tuple(entries)
    assert len(packed) <= 4 * 2**10


@given(st.binary())
def test_foreign_bytes_are_no_entries(value: bytes) -> None:
    """Another program's value is a miss, and raises nothing."""
    unpack_summary(value)
    unpack_reflection(value)
    unpack_index(value)


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 2},
        {"end": "3"},
        {"end": -1},
        {"pinned": 3},
        {"text": None},
        {"reflections": [[1, 2]]},
        {"meta": [1]},
    ],
)
def test_value_of_another_form_is_a_miss(changed: dict[str, object]) -> None:
    """A value of a later version of turnright is not read by this one."""
    whole = orjson.loads(pack_summary(Summary(3, (), "text", 1, None, (), 0, "cheap")))
    assert unpack_summary(orjson.dumps({**whole, **changed})) is None


def test_index_drops_its_oldest_entry_and_holds_each_summary_once() -> None:
    """A new entry is the newest, also where its summary had an entry before."""
    entries = tuple(IndexEntry(at, at, bytes([at]) * 16) for at in range(MAX_ENTRIES))
    again = IndexEntry(0, 99, entries[0].digest)
    assert with_entry(entries, again) == (*entries[1:], again)
    new = IndexEntry(99, 99, b"n" * 16)
    assert with_entry(entries, new) == (*entries[1:], new)


def test_entry_that_the_conversation_used_outlives_newer_ones() -> None:
    """Another branch of the conversation may have written the newer entries."""
    entries = tuple(IndexEntry(at, at, bytes([at]) * 16) for at in range(MAX_ENTRIES))
    new = IndexEntry(99, 99, b"n" * 16)
    assert with_entry(entries, new, entries[0].digest) == (*entries[2:], entries[0], new)
    assert with_entry(entries, new, b"unknown digest 1") == (*entries[1:], new)


def test_large_summary_fits_the_largest_value_of_a_store() -> None:
    """A memory of 16,000 tokens holds its reflections twice: in its text, and each by itself."""
    numbers = random.Random(5)
    words = ["".join(numbers.choices(ascii_lowercase, k=numbers.randint(2, 9))) for _ in range(3_000)]
    reflections = tuple(Reflection(at, at + 1, " ".join(numbers.choices(words, k=1_800))) for at in range(5))
    text = "\n".join(each.text for each in reflections)
    large = Summary(9, (), text, 16_000, None, reflections, 1, "cheap")
    packed = pack_summary(large)
    assert len(packed) <= LARGEST_VALUE
    assert unpack_summary(packed) == large
    assert unpack_summary(packed[:-50]) is None
    assert unpack_summary(zlib.compress(b" " * 10_000_000)) is None
