"""Tests of joining and cutting the operator's texts."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.combine_instructions import combine, digest_of, fit, joined_bytes, part_of
from proxy.core.instructions import MAX_BYTES, SEPARATOR, InstructionPart, Level

LEVELS: tuple[Level, ...] = ("gateway", "model", "key")

texts = st.text(st.sampled_from("ab \n\u00e9\u20ac\U0001f600"), min_size=1, max_size=40).filter(str.strip)


def parts_of(*texts: str) -> list[InstructionPart]:
    """Return parts with these texts, the first for the gateway."""
    return [part_of(level, text) for level, text in zip(LEVELS, texts, strict=False)]


def test_texts_are_joined_from_general_to_special() -> None:
    """The joined text has its length and digest, and keeps the parts in their order."""
    parts = parts_of("Be good.", "Bref, s\u2019il te pla\u00eet.", "Be kind.")
    found = combine(parts)

    assert found is not None
    assert found.text == "Be good.\n\nBref, s\u2019il te pla\u00eet.\n\nBe kind."
    assert found.bytes == len(found.text.encode())
    assert found.digest == sha256(found.text.encode()).hexdigest()[:12]
    assert list(found.parts) == parts


def test_no_part_is_no_instructions() -> None:
    """Where no level has a text, there are no instructions."""
    assert combine([]) is None


@pytest.mark.parametrize("character", ["a", "\u00e9", "\u20ac", "\U0001f600"])
def test_the_limit_itself_passes_and_one_byte_more_is_cut(character: str) -> None:
    """32,768 bytes stay whole. With one byte more, the general text loses one character."""
    special = "x" * 100
    room = MAX_BYTES - len(special) - len(SEPARATOR)
    general = character * (room // len(character.encode()))
    general += "y" * (room - len(general.encode()))

    whole = combine(parts_of(general, special))
    cut = combine(parts_of(general, special + "x"))

    assert whole is not None
    assert cut is not None
    assert (whole.bytes, [part.whole for part in whole.parts]) == (MAX_BYTES, [True, True])
    assert [part.whole for part in cut.parts] == [False, True]
    assert cut.parts[0].text == general[:-1]


@given(st.lists(texts, min_size=1, max_size=3), st.integers(1, 120))
def test_what_is_kept_fits_and_the_general_is_cut_first(given_texts: list[str], most: int) -> None:
    """The kept texts fit. A text is cut only where every more general text is gone, and it keeps its beginning."""
    parts = parts_of(*given_texts)
    kept = fit(parts, most)
    whole = [part for part in kept if part.whole]

    assert len(SEPARATOR.join(part.text for part in kept).encode()) <= most
    assert joined_bytes(part.bytes for part in kept) == len(
        SEPARATOR.join(part.text for part in kept).encode()
    )
    assert whole == parts[len(parts) - len(whole) :]
    assert len(kept) - len(whole) <= 1
    for part, original in zip(reversed(kept), reversed(parts), strict=False):
        assert part.level == original.level
        assert original.text.startswith(part.text)
        assert part.text.strip()


@given(st.lists(texts, min_size=1, max_size=3), st.integers(1, 120))
def test_no_more_is_cut_than_must_be(given_texts: list[str], most: int) -> None:
    """One character more of the cut text would not fit."""
    parts = parts_of(*given_texts)
    kept = fit(parts, most)
    original = parts[len(parts) - len(kept)] if kept else None

    if kept and original is not None and not kept[0].whole:
        longer = original.text[: len(kept[0].text) + 1]
        assert joined_bytes((len(longer.encode()), *(part.bytes for part in kept[1:]))) > most
    if joined_bytes(part.bytes for part in parts) <= most:
        assert list(kept) == parts


def test_a_text_of_which_only_white_space_is_left_is_dropped() -> None:
    """White space alone instructs nobody, so the next text begins the whole."""
    kept = fit(parts_of("   long", "special"), len("special") + len(SEPARATOR) + 2)

    assert [(part.text, part.whole) for part in kept] == [("special", True)]


def test_a_digest_is_the_same_for_the_same_text() -> None:
    """A digest depends on the text alone, and is short."""
    assert digest_of("a") == digest_of("a") != digest_of("b")
    assert len(digest_of("a")) == 12
