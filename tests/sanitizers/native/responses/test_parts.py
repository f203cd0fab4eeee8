"""Tests of reading the parts of items."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.protocol import Need
from sanitizers.native.responses.parts import (
    as_json,
    read_content,
    read_output,
    read_said,
    read_texts,
    text_at,
)
from tests.support.builders import PNG_URL

PLACE = "input[3].content"
IMAGE = {"type": "image_url", "image_url": {"url": PNG_URL}}


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (None, None),
        ("", ""),
        ("a", "a"),
        ([], ""),
        ([{"type": "input_text", "text": "a"}], "a"),
        ([{"type": "output_text", "text": "a", "annotations": []}], "a"),
        ([{"type": "text", "text": None}], ""),
        (
            [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        ),
        ([{"type": "refusal", "refusal": "no"}], "no"),
        ([{"type": "input_image", "image_url": PNG_URL}], [IMAGE]),
        ([{"type": "input_image", "image_url": {"url": PNG_URL}}], [IMAGE]),
        (
            [{"type": "input_image", "image_url": PNG_URL, "detail": "low"}],
            [{"type": "image_url", "image_url": {"url": PNG_URL, "detail": "low"}}],
        ),
        (
            [{"type": "input_image", "image_url": PNG_URL, "file_id": "f", "detail": "original"}],
            [{"type": "image_url", "image_url": {"url": PNG_URL, "detail": "high"}}],
        ),
        (
            [{"type": "input_file", "file_data": "data:a/b;base64,YQ==", "filename": "a"}],
            [{"type": "file", "file": {"file_data": "data:a/b;base64,YQ==", "filename": "a"}}],
        ),
        (
            [{"type": "input_file", "file_url": "https://a.b/c"}],
            [{"type": "file", "file": {"file_data": "https://a.b/c"}}],
        ),
        (
            [{"type": "input_audio", "input_audio": {"data": "YQ==", "format": "wav"}}],
            [{"type": "input_audio", "input_audio": {"data": "YQ==", "format": "wav"}}],
        ),
    ],
)
def test_content_of_the_client_is_read(content: Any, read: Any) -> None:
    """Each part becomes its part of chat, and a single text becomes a plain text."""
    assert read_content(content, PLACE, []) == read


@pytest.mark.parametrize(
    ("part", "place"),
    [
        (7, ""),
        ({}, ".type"),
        ({"type": 7}, ".type"),
        ({"type": "image_url", "image_url": PNG_URL}, ".type"),
        ({"type": "input_text", "text": 7}, ".text"),
        ({"type": "input_image"}, ".image_url"),
        ({"type": "input_image", "image_url": 7}, ".image_url"),
        ({"type": "input_image", "image_url": {"url": 7}}, ".image_url"),
        ({"type": "input_image", "file_id": 7}, ".file_id"),
        ({"type": "input_file"}, ".file_data"),
        ({"type": "input_file", "file_data": 7}, ".file_data"),
        ({"type": "input_file", "file_id": ["file-1"]}, ".file_id"),
        ({"type": "input_audio"}, ".input_audio"),
    ],
)
def test_part_that_cannot_be_read_is_refused(part: Any, place: str) -> None:
    """An unknown part, and a part without its data, are refused with their place."""
    with pytest.raises(Unrepairable) as caught:
        read_content([{"type": "input_text", "text": "a"}, part], PLACE, [])

    assert caught.value.param == f"{PLACE}[1]{place}"


@pytest.mark.parametrize(
    ("part", "can_be_left_out"),
    [
        ({"type": "input_image", "file_id": "file-1"}, False),
        ({"type": "input_file", "file_id": "file-1"}, False),
        ({"type": "input_file", "file_id": "file-1", "file_data": "", "filename": "a"}, False),
        ({"type": "input_file", "file_id": "file-1", "file_url": "https://a.b/c"}, True),
        ({"type": "input_image", "file_id": "file-1", "image_url": PNG_URL}, True),
    ],
)
def test_file_of_a_provider_is_a_need(part: Any, can_be_left_out: bool) -> None:
    """A text stands for the file. Beside the bytes themselves, the file is not needed by a chat."""
    needs: list[Need] = []
    read = read_content([{"type": "input_text", "text": "a"}, part], PLACE, needs)

    assert [(need.param, need.rule, need.can_be_left_out) for need in needs] == [
        (f"{PLACE}[1].file_id", "provider_object", can_be_left_out)
    ]
    assert needs[0].names_object
    assert isinstance(read, list)
    assert ("file-1" in str(read), read[1]["type"] == "text") == (False, not can_be_left_out)


@pytest.mark.parametrize("content", [7, {}, True])
def test_content_of_another_type_is_refused(content: Any) -> None:
    """A content that is neither a text nor a list is refused, under any role."""
    for read in (read_content, read_said):
        with pytest.raises(Unrepairable) as caught:
            read(content, PLACE, [])
        assert caught.value.param == PLACE


@pytest.mark.parametrize(
    ("output", "read"),
    [
        (None, ""),
        ([], ""),
        ("a", "a"),
        ({"a": 1}, {"a": 1}),
        (["a"], ["a"]),
        (7, 7),
        ([{"type": "input_image", "image_url": PNG_URL}], [IMAGE]),
    ],
)
def test_output_is_read(output: Any, read: Any) -> None:
    """Images stay images. A bare value is left to the sanitizing steps."""
    assert read_output(output, PLACE, []) == read


def test_texts_of_reasoning_are_read_without_empty_ones() -> None:
    """Null is no text (llama.cpp#29159), and neither is an empty one."""
    assert read_texts(None, PLACE) == []
    assert read_texts([{"text": ""}, {"text": "a"}], PLACE) == ["a"]


def test_said_joins_texts_and_refusals_apart() -> None:
    """Texts are joined, refusals are joined, and media is named."""
    needs: list[Need] = []
    said = read_said(
        [
            {"type": "output_text", "text": "a"},
            {"type": "refusal", "refusal": "no"},
            {"type": "input_file", "file_id": "f"},
            {"type": "output_text", "text": "b"},
        ],
        PLACE,
        needs,
    )

    assert said == ("ab", "no", ["content[2]:input_file"])
    assert [(need.param, need.can_be_left_out) for need in needs] == [(f"{PLACE}[2].file_id", True)]


def test_deep_value_is_refused() -> None:
    """A value that is nested too deep for JSON is refused with its place."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(Unrepairable) as caught:
        as_json(deep, PLACE)

    assert caught.value.param == PLACE


def test_text_of_a_field() -> None:
    """A missing text is empty."""
    assert (text_at({}, "a", PLACE), text_at({"a": "b"}, "a", PLACE)) == ("", "b")
