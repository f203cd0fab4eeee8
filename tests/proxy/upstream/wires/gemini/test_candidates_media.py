"""Tests of the note that replaces media in an answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini.candidates import note_of_media


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"text": "a"}, None),
        ({"inlineData": None}, None),
        ({"inlineData": {"mimeType": "image/png", "data": "aGk="}}, "An image"),
        ({"inlineData": {"mimeType": "IMAGE/PNG"}}, "An image"),
        ({"fileData": {"mimeType": "audio/wav"}}, "Audio"),
        ({"inlineData": None, "fileData": {"mimeType": "application/pdf"}}, "A file"),
        ({"inlineData": {"mimeType": 5}}, "A file"),
        ({"inlineData": "x"}, "A file"),
    ],
    ids=repr,
)
def test_the_note_names_the_kind_of_media(part: dict[str, Any], named: str | None) -> None:
    """Media of an unreadable type has a note too."""
    note = note_of_media(part)

    assert note == (None if named is None else f"\n[{named} that the model returned cannot be carried.]\n")
