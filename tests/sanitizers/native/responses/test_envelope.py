"""Tests of the envelope, which clients carry unread."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.native.responses import Envelope, pack_envelope, pack_summary, unpack_envelope, unpack_summary
from sanitizers.native.seal import MAX_CHARACTERS, PREFIX, encode_fields, is_own, seal

ENVELOPE = Envelope("gemini-3.6-flash", {"a": "SIG"}, "TEXT", "hm")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=3), st.one_of(st.none(), TEXTS), TEXTS)
def test_what_was_packed_is_unpacked(
    model: str, signatures: dict[str, str], signature: str | None, thoughts: str
) -> None:
    """An envelope comes back as it was, and is made of letters that every client keeps."""
    envelope = Envelope(model, signatures, signature, thoughts)
    packed = pack_envelope(envelope)

    assert unpack_envelope(packed) == envelope
    assert re.fullmatch("[A-Za-z0-9_-]+", packed)


@given(TEXTS)
def test_summary_comes_back(text: str) -> None:
    """A summary comes back as it was."""
    assert unpack_summary(pack_summary(text)) == text


def test_kinds_are_told_apart() -> None:
    """A summary is no envelope of a turn, and the reverse."""
    assert unpack_envelope(pack_summary("x")) is None
    assert unpack_summary(pack_envelope(ENVELOPE)) is None
    assert unpack_summary(seal(encode_fields({"kind": "turn", "text": "x"}))) is None


@given(st.data())
def test_damaged_envelope_is_not_read(data: st.DataObject) -> None:
    """An envelope with another letter, or that was cut, is not read."""
    packed = pack_envelope(ENVELOPE)
    at = data.draw(st.integers(len(PREFIX), len(packed) - 2))
    other = data.draw(st.sampled_from("Az09-_!é "))
    damaged = packed[:at] + other + packed[at + 1 :]

    assert unpack_envelope(packed[:at]) is None
    assert damaged == packed or unpack_envelope(damaged) is None
    assert unpack_envelope(packed[:at] + other * 4 + packed[at:]) is None


@given(
    st.one_of(
        st.text(),
        st.text().map(PREFIX.__add__),
        st.binary().map(lambda b: PREFIX + base64.b64encode(b).decode()),
    )
)
def test_foreign_text_is_not_read(text: str) -> None:
    """Any other text is not read, and nothing is raised."""
    assert unpack_envelope(text) is None
    assert unpack_summary(text) is None


@pytest.mark.parametrize(
    "fields",
    [
        {},
        [],
        {"kind": "turn"},
        {"kind": "turn", "model": 1, "signatures": {}, "text_signature": None, "thoughts": ""},
        {"kind": "turn", "model": "", "signatures": [], "text_signature": None, "thoughts": ""},
        {"kind": "turn", "model": "", "signatures": {"a": 1}, "text_signature": None, "thoughts": ""},
        {"kind": "turn", "model": "", "signatures": {}, "text_signature": 1, "thoughts": ""},
        {"kind": "turn", "model": "", "signatures": {}, "text_signature": None, "thoughts": None},
        {"kind": "summary"},
        {"kind": "summary", "text": 1},
    ],
)
def test_envelope_of_other_values_is_not_read(fields: dict[str, object]) -> None:
    """A client can write an envelope with a right checksum. Its values are checked."""
    sealed = seal(encode_fields(fields))

    assert unpack_envelope(sealed) is None
    assert unpack_summary(sealed) is None


def test_long_envelope_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """An envelope over the bound is not decoded. One at the bound is."""
    decoded: list[int] = []
    real = base64.b64decode

    def decode(text: str, **named: object) -> bytes:
        decoded.append(len(text))
        return real(text)

    monkeypatch.setattr(base64, "b64decode", decode)
    unpack_envelope(PREFIX + "A" * (MAX_CHARACTERS - len(PREFIX)))
    assert len(decoded) == 1
    unpack_envelope(PREFIX + "A" * (MAX_CHARACTERS - len(PREFIX) + 1))
    assert len(decoded) == 1


@pytest.mark.parametrize("length", [700_000, 790_000, 900_000, 2_000_000])
def test_no_envelope_is_too_long_to_be_read_again(length: int) -> None:
    """A long envelope leaves its thoughts out, and then its signatures."""
    thoughtful = unpack_envelope(pack_envelope(Envelope("m", {"a": "S"}, None, "x" * length)))
    signed = unpack_envelope(pack_envelope(Envelope("m", {"a": "S" * length}, None, "hm")))

    assert thoughtful in (Envelope("m", {"a": "S"}, None, ""), Envelope("m", {"a": "S"}, None, "x" * length))
    assert signed is not None
    assert thoughtful is not None
    assert (length < 780_000) == bool(signed.signatures) == bool(thoughtful.thoughts)


@pytest.mark.parametrize("letter", ["x", "\0", "é", "\U0001f600"])
def test_long_summary_is_cut(letter: str) -> None:
    """A summary that would be too long to be read again is cut at its end."""
    packed = pack_summary(letter * MAX_CHARACTERS)
    summary = unpack_summary(packed)

    assert summary
    assert len(packed) <= MAX_CHARACTERS
    assert summary == letter * len(summary)


def test_half_character_makes_no_envelope_unreadable() -> None:
    """A lone surrogate, which is no text, is replaced."""
    assert unpack_envelope(pack_envelope(Envelope("m", {}, None, "a\ud83d"))) == Envelope("m", {}, None, "a?")


def test_own_and_foreign_contents_are_told_apart() -> None:
    """The prefix tells a damaged envelope from a foreign content."""
    assert is_own(pack_envelope(ENVELOPE)[:-1])
    assert not is_own("gAAAAABo")
