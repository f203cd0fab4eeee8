"""Tests that base64 is checked and repaired, and that the first bytes show a type."""

from __future__ import annotations

import base64
import binascii
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.media.payloads import is_base64, mended_base64, type_of_base64, type_of_bytes

letters = st.text(alphabet="AZaz09+/=-_ \n%é", max_size=12)


def decodes(text: str) -> bool:
    """Tell whether the standard library decodes *text*. The unused bits before the padding may have any value."""
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return bool(re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", text)) and len(text) % 4 == 0


@given(letters, st.one_of(letters, st.binary(max_size=40).map(lambda data: base64.b64encode(data).decode())))
def test_is_base64_agrees_with_a_decoder(before: str, text: str) -> None:
    """The payload may begin at any position of the text."""
    assert is_base64(before + text, len(before)) is decodes(text)


@given(letters)
def test_repaired_text_is_base64(text: str) -> None:
    """Text that is base64 already comes back as the same object."""
    mended = mended_base64(text)

    assert mended is None or is_base64(mended)
    assert (mended is text) is is_base64(text)


@given(
    st.binary(min_size=1, max_size=40),
    st.sampled_from(["{}", "{}\n", " {}", "%20{}"]),
    st.sampled_from(
        [("+", "-"), ("+", "%2B"), ("/", "_"), ("/", "%2f"), ("=", ""), ("=", "%3D"), ("A", "A\r\n")]
    ),
)
def test_mending_keeps_the_bytes(data: bytes, frame: str, changed: tuple[str, str]) -> None:
    """Mending undoes white space, percent escapes, the URL-safe alphabet and missing padding."""
    text = base64.b64encode(data).decode()

    assert mended_base64(frame.format(text.replace(*changed))) == text


@pytest.mark.parametrize("at", [0, 65_535, 65_536, 131_072, 200_000])
def test_a_bad_letter_is_found_in_every_piece_of_a_large_payload(at: int) -> None:
    """A payload is checked in pieces of 65,536 letters."""
    whole = "A" * 262_144

    assert is_base64(whole)
    assert not is_base64(whole[:at] + "!" + whole[at + 1 :])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe1", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"RIFF....WEBPVP8 ", "image/webp"),
        (b"RIFF....WAVEfmt ", None),
        (b"BM....\0\0\0\0", "image/bmp"),
        (b"BM is a text", None),
        (b"II*\0", "image/tiff"),
        (b"....ftypheic", "image/heic"),
        (b"....ftypmif1", "image/heif"),
        (b"....ftypisom", None),
        (b"%PDF-1.4", "application/pdf"),
        (b"", None),
        (b"<html>", None),
    ],
)
def test_images_and_pdfs_are_known_by_their_first_bytes(data: bytes, kind: str | None) -> None:
    """Other bytes have no type."""
    assert type_of_bytes(data) == kind
    assert type_of_base64("x" + base64.b64encode(data).decode(), 1) == kind
