"""Tests of the envelope in the signature of a thinking block."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.native.messages.envelope import SignedCall, is_own, pack_signature, unpack_signature
from sanitizers.native.responses import Envelope, pack_envelope
from sanitizers.native.seal import MAX_CHARACTERS, encode_fields, seal

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SIGNED = SignedCall("abcde", "call_1", "SIG")


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_what_was_packed_is_unpacked(origin: str, call_id: str, signature: str, tenant: str) -> None:
    """An envelope comes back as it was, and is made of letters that every client keeps."""
    signed = SignedCall(origin, call_id, signature)
    packed = pack_signature(signed, tenant)

    assert unpack_signature(packed, tenant) == signed
    assert is_own(packed)
    assert re.fullmatch("[A-Za-z0-9_-]+", packed)


@pytest.mark.parametrize("other", ["b", "", "aa", "A"])
def test_envelope_of_another_tenant_is_not_read(other: str) -> None:
    """Only the tenant that an envelope was made for has it read."""
    assert unpack_signature(pack_signature(SIGNED, "a"), "a") == SIGNED
    assert unpack_signature(pack_signature(SIGNED, "a"), other) is None


def test_envelope_of_another_format_is_not_read() -> None:
    """An envelope of the Responses API is none of a call, for any tenant."""
    packed = pack_envelope(Envelope("m", {"call_1": "SIG"}, None, ""))

    assert unpack_signature(packed, "") is None
    assert is_own(packed)


@given(st.one_of(st.text(), st.from_regex(r"tr1_[A-Za-z0-9_-]*", fullmatch=True)))
def test_foreign_signature_is_not_read(text: str) -> None:
    """A signature that was not made here is never read as an envelope, and never raises."""
    assert unpack_signature(text, "a") is None


@pytest.mark.parametrize("name", ["origin", "call_id", "signature"])
def test_field_of_another_type_is_not_read(name: str) -> None:
    """A client may write an envelope of its own, with fields of any type."""
    fields = {"kind": "call", "origin": "", "call_id": "", "signature": ""}

    assert unpack_signature(seal(encode_fields(fields), "a"), "a") == SignedCall("", "", "")
    assert unpack_signature(seal(encode_fields({**fields, name: 1}), "a"), "a") is None


def test_signature_that_is_too_long_is_left_out() -> None:
    """An envelope is never longer than what is read again."""
    packed = pack_signature(SignedCall("abcde", "call_1", "x" * MAX_CHARACTERS), "a")

    assert len(packed) < MAX_CHARACTERS
    assert unpack_signature(packed, "a") == SignedCall("", "", "")
