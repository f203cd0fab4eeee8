"""Tests of writing the content of chat messages as parts of items."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.responses.write_parts import write_content, write_said
from tests.support.builders import PNG_URL

TEXT = {"type": "text", "text": "words"}


@pytest.mark.parametrize(
    ("content", "written"),
    [
        ("words", "words"),
        ("", ""),
        (None, ""),
        ([TEXT], [{"type": "input_text", "text": "words"}]),
        ([{"type": "text", "text": None}], [{"type": "input_text", "text": ""}]),
        ([{"type": "refusal", "refusal": "no"}], [{"type": "input_text", "text": "no"}]),
        (
            [{"type": "image_url", "image_url": {"url": PNG_URL, "detail": "low"}}],
            [{"type": "input_image", "image_url": PNG_URL, "detail": "low"}],
        ),
        ([{"type": "image_url", "image_url": PNG_URL}], [{"type": "input_image", "image_url": PNG_URL}]),
        (
            [{"type": "file", "file": {"file_data": "data:text/plain;base64,YQ==", "filename": "a.txt"}}],
            [{"type": "input_file", "file_data": "data:text/plain;base64,YQ==", "filename": "a.txt"}],
        ),
        (
            [{"type": "file", "file": {"file_data": "HTTPS://files.example/a.pdf"}}],
            [{"type": "input_file", "file_url": "HTTPS://files.example/a.pdf"}],
        ),
        ([{"type": "file", "file": {"file_id": "file-1"}}], [{"type": "input_file", "file_id": "file-1"}]),
        (
            [{"type": "input_audio", "input_audio": {"data": "YQ==", "format": "wav"}}],
            [{"type": "input_audio", "input_audio": {"data": "YQ==", "format": "wav"}}],
        ),
        (
            [{"type": "video_url", "video_url": {"url": "https://films.example"}}],
            [{"type": "video_url", "video_url": {"url": "https://films.example"}}],
        ),
        ({"a": 1}, '{"a": 1}'),
        (["bare"], '["bare"]'),
    ],
)
def test_content_of_a_client_has_the_parts_of_its_item(content: Any, written: Any) -> None:
    """A text stays a text, known parts get their form, and others stay as they are."""
    assert write_content(content) == written


@pytest.mark.parametrize(
    ("content", "refusal", "written"),
    [
        ("words", None, "words"),
        ("", None, ""),
        (None, None, None),
        ([TEXT, TEXT], None, [{"type": "output_text", "text": "words"}] * 2),
        ([{"type": "thinking", "thinking": "hm"}], None, None),
        (
            [{"type": "thinking", "thinking": "hm"}, TEXT],
            None,
            [{"type": "output_text", "text": "words"}],
        ),
        (None, "no", [{"type": "refusal", "refusal": "no"}]),
        ("", "no", [{"type": "refusal", "refusal": "no"}]),
        (
            "words",
            "no",
            [{"type": "output_text", "text": "words"}, {"type": "refusal", "refusal": "no"}],
        ),
        ([{"type": "refusal", "refusal": "no"}], None, [{"type": "refusal", "refusal": "no"}]),
    ],
)
def test_words_of_the_assistant_are_text_and_refusal(content: Any, refusal: Any, written: Any) -> None:
    """Thoughts are no words, and a refusal stands behind the text."""
    assert write_said(content, refusal) == written
