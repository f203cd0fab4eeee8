"""Tests of the names and values of entries in a backend."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.external.sealed_entries import LARGEST_VALUE, EntrySealer
from proxy.state.spaces import LESSONS, SIGNATURES

SEALER = EntrySealer("tr", b"s" * 32)
OTHER = EntrySealer("tr", b"t" * 32)
NAME = SEALER.name(SIGNATURES, "blue", "call_1")


def test_name_shows_nothing_but_the_space() -> None:
    """A name has the prefix, the format's version, 32 digits in braces, and the space."""
    assert re.fullmatch(r"tr:1:\{[0-9a-f]{32}\}:signatures", NAME)
    assert SEALER.name(SIGNATURES, "blue", "call_1") == NAME


@pytest.mark.parametrize(
    "other",
    [
        SEALER.name(SIGNATURES, "blue", "call_2"),
        SEALER.name(SIGNATURES, "red", "call_1"),
        SEALER.name(LESSONS, "blue", "call_1"),
        OTHER.name(SIGNATURES, "blue", "call_1"),
        EntrySealer("other", b"s" * 32).name(SIGNATURES, "blue", "call_1"),
    ],
)
def test_names_of_other_entries_differ(other: str) -> None:
    """Each of key, tenant, space, secret and prefix makes another name."""
    assert other != NAME


def test_tenant_cannot_be_read_as_a_part_of_the_key() -> None:
    """Two entries whose parts make the same text when they are joined have different names."""
    assert SEALER.name(SIGNATURES, "a", "signaturesb") != SEALER.name(SIGNATURES, "asignatures", "b")


@given(st.binary(max_size=300), st.text(max_size=20), st.text(max_size=20))
def test_sealed_value_opens_under_its_name_alone(value: bytes, tenant: str, key: str) -> None:
    """A value opens under its own name with its own secret, and nowhere else."""
    name = SEALER.name(SIGNATURES, tenant, key)
    sealed = SEALER.seal(name, value)

    assert SEALER.open(name, sealed) == value
    assert SEALER.open(SEALER.name(LESSONS, tenant, key), sealed) is None
    assert OTHER.open(name, sealed) is None


@given(st.binary(max_size=300), st.data())
def test_changed_value_is_not_opened(value: bytes, data: st.DataObject) -> None:
    """One changed bit anywhere, or a cut end, makes a value unreadable."""
    sealed = SEALER.seal(NAME, value)
    place = data.draw(st.integers(0, len(sealed) - 1))
    changed = bytearray(sealed)
    changed[place] ^= 1 << data.draw(st.integers(0, 7))

    assert SEALER.open(NAME, bytes(changed)) is None
    assert SEALER.open(NAME, sealed[:place]) is None


@given(st.binary(max_size=300))
def test_garbage_is_not_opened(garbage: bytes) -> None:
    """Bytes that nobody sealed are no value."""
    assert SEALER.open(NAME, garbage) is None


def test_value_above_the_bound_is_not_read() -> None:
    """Values have a bound when they are read, too: another version may have written more."""
    at, above = bytes(LARGEST_VALUE), bytes(LARGEST_VALUE + 1)

    assert SEALER.open(NAME, SEALER.seal(NAME, at)) == at
    assert SEALER.open(NAME, SEALER.seal(NAME, above)) is None


def test_values_are_opened_together_and_damaged_ones_are_counted() -> None:
    """A missing value is left out, and is no damage."""
    names = {key: SEALER.name(SIGNATURES, "blue", key) for key in ("whole", "damaged", "long", "missing")}
    sealed = {name: SEALER.seal(name, b"value") for key, name in names.items() if key != "missing"}
    sealed[names["damaged"]] += b"!"
    sealed[names["long"]] = SEALER.seal(names["long"], b"x" * 9)
    counted: list[None] = []

    assert SEALER.open_all(names, sealed, lambda: counted.append(None), largest=8) == {"whole": b"value"}
    assert len(counted) == 2


def test_numbers_of_limits_share_a_hash_tag_and_tell_nothing() -> None:
    """One script changes several of them, and a cluster wants these on one node."""
    names = [SEALER.limit_name(*parts) for parts in (("rate", "ann"), ("spend", "ann", "p"), ("replicas",))]

    assert [name.rpartition(":")[0] for name in names] == [
        f"tr:1:{{limits}}:{kind}" for kind in ("rate", "spend", "replicas")
    ]
    assert len({name.rpartition(":")[2] for name in names}) == 3
    assert not any("ann" in name for name in names)
    assert SEALER.limit_name("rate", "ann") == names[0]
    assert SEALER.limit_name("spend", "an", "np") != names[1]


def test_kept_names_of_limits_are_bounded() -> None:
    sealer = EntrySealer("tr", b"s" * 32)

    assert sealer.rate_names["ann"] == sealer.limit_name("rate", "ann")
    assert sealer.place_names["ann"] == sealer.limit_name("places", "ann")
    assert sealer.spend_names["ann", "p"] == sealer.limit_name("spend", "ann", "p")
    for number in range(5_000):
        sealer.rate_names[str(number)]
    assert len(sealer.rate_names) <= 4_096
