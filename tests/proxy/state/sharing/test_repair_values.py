"""Tests of the stored form of the evidence for repairs."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.external.sealed_entries import LARGEST_VALUE
from proxy.state.repairs.evidence import MAX_CONVERSATIONS, Evidence
from proxy.state.repairs.repair_key import RepairKey
from proxy.state.repairs.repair_table import MAX_ENTRIES, Place, RepairTable
from proxy.state.sharing.repair_values import (
    NOTHING_STORED,
    StoredRepairs,
    is_of_other_version,
    read_repairs,
    write_repairs,
)

KEY = RepairKey("parameter", "temperature", "unsupported parameter: 'temperature'", loosens=False)
HELD = Evidence(
    confirmed=3.5,
    contradicted=0.25,
    at=1_000.0,
    since=500.0,
    probed_at=900.0,
    doublings=2,
    contradictions_in_a_row=1,
    is_alone=True,
    conversations=(("00ff" * 4, 800.0), ("11aa" * 4, 900.0)),
)
STORED = StoredRepairs(RepairTable({Place("ab" * 8, KEY): HELD}), ("w1", "w2"))

counts = st.integers(0, 10**6).map(lambda count: count / 8)
times = st.integers(0, 2**33).map(float)
evidence = st.builds(
    Evidence,
    confirmed=counts,
    contradicted=counts,
    at=times,
    since=times,
    probed_at=times,
    doublings=st.integers(0, 5),
    contradictions_in_a_row=st.integers(0, 1),
    is_alone=st.booleans(),
    conversations=st.lists(st.tuples(st.text("0123456789abcdef", max_size=16), times), max_size=16).map(
        tuple
    ),
)
keys = st.builds(
    RepairKey, st.sampled_from(["tail", "schema"]), st.text(max_size=9), st.text(max_size=9), st.booleans()
)
places = st.builds(Place, st.sampled_from(["", "ab"]), keys)
stored_repairs = st.builds(
    StoredRepairs,
    st.dictionaries(places, evidence, max_size=5).map(RepairTable),
    st.lists(st.text(max_size=8), max_size=16).map(tuple),
)


@given(stored_repairs)
def test_evidence_is_read_as_it_was_written(stored: StoredRepairs) -> None:
    assert read_repairs(write_repairs(stored)) == stored


def test_counts_and_times_are_rounded() -> None:
    """No time becomes later, since a later probe would begin a new interval."""
    held = Evidence(confirmed=1 / 3, at=7.4, since=7.6, probed_at=7.6, conversations=(("c", 7.4),))
    [read] = read_repairs(
        write_repairs(StoredRepairs(RepairTable({Place("", KEY): held})))
    ).table.entries.values()
    assert read == Evidence(confirmed=0.3333, at=7.0, since=7.0, probed_at=7.0, conversations=(("c", 7.0),))


def test_the_newest_sixteen_writes_are_kept() -> None:
    stored = STORED
    for number in range(20):
        stored = stored.with_write(STORED.table, str(number))
    assert stored.writes == tuple(map(str, range(4, 20)))
    assert read_repairs(write_repairs(stored)) == stored


def test_full_table_fits_into_a_store() -> None:
    """The parts that clients and providers choose are random here, so that they cannot be compressed."""

    def random(length: int) -> str:
        return os.urandom(length // 2).hex()

    def held() -> Evidence:
        conversations = tuple((random(16), 1.7e9 + number) for number in range(MAX_CONVERSATIONS))
        return Evidence(1234.5678, 1234.5678, 1.7e9, 1.7e9, 1.7e9, doublings=5, conversations=conversations)

    entries = {
        Place(random(16), RepairKey("parameter", random(64), random(64), loosens=False)): held()
        for _ in range(MAX_ENTRIES)
    }
    assert len(write_repairs(StoredRepairs(RepairTable(entries)))) < LARGEST_VALUE


def changed(change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Return the value of STORED after *change* of its fields."""
    value = write_repairs(STORED)
    fields = orjson.loads(zlib.decompress(value[1:]))
    change(fields)
    return value[:1] + zlib.compress(orjson.dumps(fields))


def at(index: int, value: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a change of one field of the only entry."""
    return lambda fields: fields["entries"][0].__setitem__(index, value)


DAMAGED: dict[str, bytes] = {
    "empty": b"\x01",
    "no compressed bytes": b"\x01{}",
    "cut off": write_repairs(STORED)[:-9],
    "no JSON": b"\x01" + zlib.compress(b"hello"),
    "a list": b"\x01" + zlib.compress(b"[]"),
    "more than a mebibyte": b"\x01"
    + zlib.compress(b'{"entries":[],"writes":[],"x":"' + b"x" * 2**20 + b'"}'),
    "no writes": changed(lambda fields: fields.pop("writes")),
    "writes that are no texts": changed(lambda fields: fields.update(writes=[1])),
    "too many entries": changed(lambda fields: fields.update(entries=fields["entries"] * (MAX_ENTRIES + 1))),
}

WRONG: dict[str, bytes] = {
    "an entry without its end": changed(lambda fields: fields["entries"][0].pop()),
    "a client that is no text": changed(at(0, 5)),
    "a feature of 5,000 characters": changed(at(2, "x" * 5_000)),
    "a mark that is no truth value": changed(at(4, 1)),
    "a negative count": changed(at(5, -1)),
    "a count that is true": changed(at(5, True)),
    "a count above all bounds": changed(at(6, 2**21)),
    "a time that is no number": changed(at(7, "now")),
    "six doublings": changed(at(10, 6)),
    "three contradictions in a row": changed(at(11, 3)),
    "too many conversations": changed(at(13, [["c", 1]] * (MAX_CONVERSATIONS + 1))),
    "a conversation without a time": changed(at(13, [["c"]])),
}


@pytest.mark.parametrize("value", DAMAGED.values(), ids=DAMAGED)
def test_damaged_value_reads_as_nothing(value: bytes) -> None:
    """It is of this version, so that the next write replaces it."""
    assert read_repairs(value) == NOTHING_STORED
    assert not is_of_other_version(value)


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_wrong_entry_is_left_out(value: bytes) -> None:
    """The names of the newest writes are kept, and so are the other entries."""
    assert read_repairs(value) == StoredRepairs(RepairTable({}), STORED.writes)


def test_wrong_entry_costs_no_other_entry() -> None:
    def add(fields: dict[str, Any]) -> None:
        fields["entries"].insert(0, [*fields["entries"][0][:2], "x" * 5_000, *fields["entries"][0][3:]])

    assert read_repairs(changed(add)) == STORED


@given(st.binary(max_size=99))
def test_any_bytes_can_be_read(value: bytes) -> None:
    assert isinstance(read_repairs(b"\x01" + value), StoredRepairs)


@pytest.mark.parametrize("value", [b"", b"\x02" + write_repairs(STORED)[1:], b"{}"])
def test_other_first_byte_is_another_version(value: bytes) -> None:
    assert is_of_other_version(value)
