"""Media parts are read as an address, as bytes with a type, or as broken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from sanitizers.media.reading import (
    Address,
    Broken,
    Inline,
    contradicts,
    may_stand_in_result,
    read_media,
    types_taken,
)
from sanitizers.profiles import OPENAI
from tests.support.builders import image

PNG, PDF = "data:image/png;base64,AAAA", "data:application/pdf;base64,AAAA"


def file(value: Any) -> dict[str, Any]:
    """Return a file part."""
    return {"type": "file", "file": value}


def recording(data: Any, format_: Any) -> dict[str, Any]:
    """Return an audio part with *data* and *format_*."""
    return {"type": "input_audio", "input_audio": {"data": data, "format": format_}}


@pytest.mark.parametrize(
    ("part", "read"),
    [
        (image("https://a.example/a.png"), Address("https://a.example/a.png")),
        ({"type": "image_url", "image_url": "https://a.example/a.png"}, Address("https://a.example/a.png")),
        (file({"file_id": "file-1"}), Address("")),
        (file(None), Address("")),
        (image(PNG), Inline(PNG, 22, "image/png", (), encoded=True, is_canonical=True)),
        (file({"file_data": PDF}), Inline(PDF, 28, "application/pdf", (), encoded=True, is_canonical=True)),
        (
            file({"file_data": PDF, "format": "text/plain"}),
            Inline(PDF, 28, "text/plain", (), encoded=True, is_canonical=True),
        ),
        (image("data:a/b;x=1;base64,"), Inline("data:a/b;x=1;base64,", 20, "a/b", ("x=1",), True, True)),
        (image("data:a/b;BASE64,"), Inline("data:a/b;BASE64,", 16, "a/b", (), True, False)),
        (image("DATA:a/b;base64,"), Inline("DATA:a/b;base64,", 16, "a/b", (), True, False)),
        (image("data:a/b; base64,"), Inline("data:a/b; base64,", 17, "a/b", (), True, False)),
        (image("data:a/b,x"), Inline("data:a/b,x", 9, "a/b", (), False, False)),
        (image("data:,x"), Inline("data:,x", 6, "", (), False, False)),
        (image("data:image/png;base64"), Broken()),
        (image(f"data:{'x' * 512},"), Broken()),
        (recording("AAAA", "mp3"), Inline("AAAA", 0, "audio/mp3", (), True, True)),
        (recording("AAAA", "audio/mp3"), Inline("AAAA", 0, "audio/mp3", (), True, False)),
        (recording("", "mp3"), Broken()),
        (recording("AAAA", None), Broken()),
        ({"type": "input_audio", "input_audio": 7}, Broken()),
    ],
)
def test_a_part_is_an_address_or_inline_bytes_or_broken(part: dict[str, Any], read: object) -> None:
    """In a data: URL, a comma must end the head within 512 characters."""
    found = read_media(part)

    assert (type(found), found) == (type(read), read)


@pytest.mark.parametrize(
    ("address", "scheme"),
    [("HTTPS://a.example", "https"), ("gs://b/c", "gs"), ("file-1", ""), ("", ""), ("x" * 16 + ":", "")],
)
def test_the_scheme_of_an_address_is_in_small_letters(address: str, scheme: str) -> None:
    """An address without a colon near its beginning has no scheme."""
    assert Address(address).scheme == scheme


@pytest.mark.parametrize(
    ("found", "written", "wrong"),
    [
        (None, "image/png", False),
        ("image/png", "image/png", False),
        ("image/heic", "image/heif", False),
        ("image/png", "image/jpeg", True),
        ("image/heic", "image/png", True),
    ],
)
def test_bytes_of_another_type_contradict_the_written_one(
    found: str | None, written: str, wrong: bool
) -> None:
    """Unknown bytes contradict no type."""
    assert contradicts(found, written) is wrong


def test_images_and_files_have_types_of_their_own() -> None:
    """OpenAI's profile lists types for images only."""
    assert types_taken(image(), OPENAI) == OPENAI.image_types
    assert types_taken(file({}), OPENAI) is OPENAI.file_types is None


@pytest.mark.parametrize(
    ("part", "may"),
    [
        (image(PNG), True),
        (file({"file_data": PDF}), True),
        (image(PNG.replace("png", "gif")), False),
        (image("https://a.example/a.png"), False),
        ({"type": "video_url", "video_url": {"url": PNG}}, False),
    ],
)
def test_media_may_stand_in_a_result_by_its_type(part: dict[str, Any], may: bool) -> None:
    """Before Gemini 3 no media may stand in a result."""
    assert may_stand_in_result(part, GEMINI_3) is may
    assert not may_stand_in_result(part, GEMINI_2)


@pytest.mark.parametrize(
    ("part", "may"),
    [
        (image("https://a.example/a.png"), True),
        (file({"file_data": "https://a.example/a.pdf"}), True),
        (image("http://a.example/a.png"), False),
    ],
)
def test_address_stays_in_a_result_where_the_provider_fetches_from_it(
    part: dict[str, Any], may: bool
) -> None:
    """Claude fetches from https addresses, in results too."""
    assert may_stand_in_result(part, replace(GEMINI_3, https_media=True)) is may
