"""Tests of the seal of what clients carry unread."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.native.seal import MAX_BYTES, MAX_CHARACTERS, PREFIX, encode_fields, is_own, open_sealed, seal

FIELDS = {"kind": "a", "text": "é"}


@pytest.mark.parametrize("tenant", ["", "t"])
def test_sealed_fields_are_opened_by_their_kind_and_tenant(tenant: str) -> None:
    """Fields come back for the kind and the tenant that they were sealed for, and for no other."""
    sealed = seal(encode_fields(FIELDS), tenant)

    assert open_sealed(sealed, "a", tenant) == FIELDS
    assert open_sealed(sealed, "b", tenant) == {}
    assert open_sealed(sealed, "a", f"{tenant}x") == {}


@given(st.data())
def test_damaged_text_is_not_opened(data: st.DataObject) -> None:
    """A text with another letter, or that was cut, is not opened."""
    sealed = seal(encode_fields(FIELDS))
    at = data.draw(st.integers(len(PREFIX), len(sealed) - 2))
    damaged = sealed[:at] + data.draw(st.sampled_from("Az09-_!é ")) + sealed[at + 1 :]

    assert open_sealed(sealed[:at], "a") == {}
    assert damaged == sealed or open_sealed(damaged, "a") == {}


def test_texts_are_told_apart_by_their_beginning() -> None:
    """The prefix alone says whether a text claims to be sealed here."""
    assert is_own(PREFIX)
    assert not is_own("gAAAAABforeign")


def test_longest_fields_can_be_read_again() -> None:
    """The most bytes of fields give a text of the most characters, and one byte more a longer one."""
    beginning = len(encode_fields({"kind": "a", "t": ""}))
    longest = encode_fields({"kind": "a", "t": "x" * (MAX_BYTES - beginning)})

    assert len(seal(longest)) <= MAX_CHARACTERS
    assert open_sealed(seal(longest), "a")
    assert open_sealed(seal(longest + b" " * 8), "a") == {}


def test_lone_surrogate_does_not_make_a_text_unreadable() -> None:
    """A surrogate that is no text is replaced."""
    assert open_sealed(seal(encode_fields({"kind": "a", "t": "\ud800"})), "a") == {"kind": "a", "t": "?"}


def test_fields_that_are_no_object_are_not_opened() -> None:
    """A client may seal any JSON."""
    assert open_sealed(seal(b"[1]"), "a") == {}
    assert open_sealed(seal(b"{"), "a") == {}
