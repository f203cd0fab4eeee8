"""Tests of single parts as parts of a chat message, and of what no chat message carries."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.gemini.parts import data_of
from sanitizers.native.gemini.read_parts import PartReader
from sanitizers.native.protocol import HELD_PLACEHOLDER
from tests.support.strategies.contents import PNG

PLACE = "contents[2].parts[0]"


def read(part: dict[str, Any], *, media: bool = True) -> tuple[Any, PartReader]:
    """Return what *part* is read as, and the reader."""
    reader = PartReader()
    return reader.read(part, data_of(part), PLACE, 2, media=media), reader


def inline(kind: str, data: str = PNG) -> dict[str, Any]:
    """Return a part of inline bytes."""
    return {"inlineData": {"mimeType": kind, "data": data}}


def file(address: str, kind: str = "") -> dict[str, Any]:
    """Return a part that names a file."""
    return {"file_data": {"file_uri": address, "mime_type": kind}}


@pytest.mark.parametrize(
    ("part", "content"),
    [
        (inline("image/png", "-_8"), {"image_url": {"url": "data:image/png;base64,+/8="}}),
        (inline("audio/wav", "-_8="), {"input_audio": {"data": "+/8=", "format": "wav"}}),
        (
            inline("video/mp4", "AA=="),
            {"file": {"file_data": "data:video/mp4;base64,AA==", "filename": "file.mp4"}},
        ),
        (
            inline("text/plain; charset=utf-8"),
            {"file": {"file_data": f"data:text/plain; charset=utf-8;base64,{PNG}", "filename": "file.plain"}},
        ),
        (file("https://a.b/c.png", "image/png"), {"image_url": {"url": "https://a.b/c.png"}}),
        (file("https://a.b/c.pdf", "application/pdf"), {"file": {"file_data": "https://a.b/c.pdf"}}),
        (
            file("data:image/png;base64,AA==", "image/png"),
            {"image_url": {"url": "data:image/png;base64,AA=="}},
        ),
    ],
)
def test_media_is_what_a_chat_has_a_form_for(part: dict[str, Any], content: dict[str, Any]) -> None:
    """Bytes in the alphabet of URLs are written in the standard one, which other providers read."""
    [kind] = content
    made, reader = read(part)

    assert made == {"type": kind, **content}
    assert (reader.changes, reader.needs) == ([], [])


@pytest.mark.parametrize(
    "address", ["files/a", "gs://b/c", "https://generativelanguage.googleapis.com/v1/files/a"]
)
def test_file_of_an_account_is_a_need(address: str) -> None:
    """The placeholder is never sent."""
    made, reader = read(file(address))

    assert made == {"type": "text", "text": HELD_PLACEHOLDER}
    [need] = reader.needs
    assert (need.param, need.names_object, need.can_be_left_out) == (
        f"{PLACE}.file_data.file_uri",
        True,
        False,
    )


def test_file_of_an_account_that_the_model_made_can_be_left_out() -> None:
    """A chat has no media of the model's at all."""
    made, reader = read(file("files/a", "video/mp4"), media=False)

    assert made == {"type": "text", "text": "[File video/mp4]"}
    assert [need.can_be_left_out for need in reader.needs] == [True]
    assert [change.reason for change in reader.changes] == ["media_of_model"]


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ({"fileData": {"fileUri": "files/a"}}, ["fileData"]),
        ({"newKind": {"uri": "files/a"}}, ["newKind"]),
        ({"fileData": {"fileUri": "https://a.b/c"}}, []),
        ({"newKind": {"a": 1}}, []),
        ({"text": "files/a"}, []),
    ],
)
def test_thought_that_names_an_object_is_a_need(held: dict[str, Any], expected: list[str]) -> None:
    """A chat leaves the thought out, but Gemini gets it, and could read another client's file."""
    made, reader = read({**held, "thought": True})

    assert made is None
    assert [need.param for need in reader.needs] == [f"{PLACE}.{key}" for key in expected]
    assert all(need.names_object and need.can_be_left_out for need in reader.needs)


def test_nested_part_with_two_kinds_of_data_is_refused() -> None:
    """Gemini refuses a text there by its name, and a repair would leave the file alone."""
    with pytest.raises(Unrepairable) as refused:
        PartReader().read_nested({"text": "a", **file("files/a")}, PLACE, 2)

    assert refused.value.param == PLACE


@pytest.mark.parametrize(
    ("part", "params"),
    [
        ({"newKind": {"fileUri": "files/a"}}, [PLACE]),
        ({"toolResponse": {"response": {"uri": "files/a"}}}, [PLACE]),
        ({"text": "a"}, []),
        ({}, []),
    ],
)
def test_nested_part_of_another_kind_names_its_objects(part: dict[str, Any], params: list[str]) -> None:
    """It is no part of a chat, but Gemini gets it."""
    reader = PartReader()

    assert reader.read_nested(part, PLACE, 2) is None
    assert [need.param for need in reader.needs] == params
    assert all(need.names_object and need.can_be_left_out for need in reader.needs)


def test_video_is_a_need_that_names_no_object() -> None:
    """Every client may ask for it, and Gemini alone can watch it."""
    made, reader = read(file("https://youtu.be/x"))

    assert made == {"type": "text", "text": HELD_PLACEHOLDER}
    assert [(need.rule, need.names_object) for need in reader.needs] == [("gemini_media", False)]


@pytest.mark.parametrize(
    ("held", "names_object"),
    [({"a": 1}, [False]), ({"a": [{"fileUri": "files/b"}]}, [False, True]), ({"uri": "x"}, [False, True])],
)
def test_data_of_an_unknown_kind_is_a_need(held: dict[str, Any], names_object: list[bool]) -> None:
    """Gemini may know it by now. It may name another client's file."""
    made, reader = read({"newKind": held, "thought": False, "partMetadata": {}})

    assert made == {"type": "text", "text": HELD_PLACEHOLDER}
    assert [need.names_object for need in reader.needs] == names_object
    assert {need.param for need in reader.needs} == {f"{PLACE}.newKind"}
    assert read({"newKind": "a scalar", "videoMetadata": {}})[0] is None


def test_one_need_of_a_kind_is_enough() -> None:
    """A small body could otherwise have any number."""
    reader = PartReader()
    for _ in range(3):
        part = file("files/a")
        reader.read(part, data_of(part), PLACE, 2, media=True)

    assert len(reader.needs) == 1


@pytest.mark.parametrize(
    ("part", "media", "text", "reason"),
    [
        ({"text": "hm", "thought": True}, True, None, "thought"),
        ({"text": "a", "videoMetadata": {}}, True, "a", "part_field"),
        (inline("image/png"), False, "[image/png]", "media_of_model"),
        (file("http://a.b/c", "text/plain"), True, "[File http://a.b/c text/plain]", "file_address"),
        (file("https://a.b/c"), False, "[File https://a.b/c]", "file_address"),
        (file("data:text/plain,a", "text/plain"), False, "[File text/plain]", "file_address"),
    ],
)
def test_what_a_chat_cannot_have_is_named(
    part: dict[str, Any], media: bool, text: str | None, reason: str
) -> None:
    """The index is that of the content, and each reason is named once for it."""
    made, reader = read(part, media=media)
    reader.read(part, data_of(part), PLACE, 2, media=media)

    assert (None if made is None else made["text"]) == text
    assert [(change.step, change.index, change.reason) for change in reader.changes] == [("items", 2, reason)]


@pytest.mark.parametrize(
    ("part", "param"),
    [
        (inline("image/png,x"), f"{PLACE}.inlineData.mimeType"),
        (inline("image"), f"{PLACE}.inlineData.mimeType"),
        (file(""), f"{PLACE}.file_data.file_uri"),
        ({"executableCode": {"code": 7}}, f"{PLACE}.executableCode.code"),
    ],
)
def test_unreadable_data_is_refused_with_its_place(part: dict[str, Any], param: str) -> None:
    """A media type with a comma would make another address of the bytes."""
    with pytest.raises(Unrepairable) as refused:
        read(part)

    assert refused.value.param == param
