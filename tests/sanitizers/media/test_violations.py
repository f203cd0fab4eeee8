"""Tests of the checker's rules for one media part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sanitizers.gemini_profiles import GEMINI_2
from sanitizers.media.violations import media_violations
from sanitizers.profiles import OPENAI, Profile
from tests.support.builders import PNG_URL, image

JPEG_URL = PNG_URL.replace("png", "jpeg", 1)
FETCHING = replace(GEMINI_2, remote_media=True, file_ids=True)
BY_HTTPS = replace(GEMINI_2, https_media=True)


def file(**fields: Any) -> dict[str, Any]:
    """Return a file part."""
    return {"type": "file", "file": fields}


@pytest.mark.parametrize(
    ("part", "profile", "rules"),
    [
        (image(), OPENAI, []),
        (image(), GEMINI_2, []),
        (image("https://a.example/a.png"), OPENAI, []),
        (image("https://a.example/a.png"), GEMINI_2, ["remote_media"]),
        (image("https://a.example/a.png"), BY_HTTPS, []),
        (image("http://a.example/a.png"), BY_HTTPS, ["remote_media"]),
        (file(file_data="https://a.example/a.pdf"), BY_HTTPS, []),
        (file(file_id="https://a.example/a.pdf"), BY_HTTPS, ["remote_media"]),
        (image("gs://bucket/a.png"), OPENAI, ["remote_media"]),
        (image(""), OPENAI, ["remote_media"]),
        (file(file_id="file-1"), FETCHING, []),
        (file(file_id="file-1"), replace(FETCHING, file_ids=False), ["remote_media"]),
        (file(file_id="https://a.example/a.pdf"), FETCHING, ["remote_media"]),
        (file(file_id=7), FETCHING, ["remote_media"]),
        (file(file_data="JVBERi0="), FETCHING, []),
        (file(file_data="https://a.example/a.pdf"), FETCHING, ["remote_media"]),
        (image("data:image/png;base64,?"), OPENAI, ["media_unreadable"]),
        (image("data:image/png;base64"), OPENAI, ["media_unreadable"]),
        (image(PNG_URL.replace("base64", "BASE64")), OPENAI, ["media_unreadable"]),
        (image(PNG_URL.replace("png", "bmp", 1)), OPENAI, ["media_type"]),
        (image(PNG_URL.replace(";", ";x=1;", 1)), OPENAI, ["media_type"]),
        (image(JPEG_URL), OPENAI, ["media_mistyped"]),
        (image(JPEG_URL), replace(OPENAI, image_types=None), []),
        ({"type": "video_url", "video_url": {"url": "?"}}, OPENAI, []),
        ({"type": "video_url", "video_url": {"url": "?"}}, GEMINI_2, ["media_type"]),
        ({"type": "input_audio", "input_audio": {"data": "AAAA"}}, OPENAI, ["media_unreadable"]),
    ],
)
def test_each_rule_is_found_where_a_part_breaks_it(
    part: dict[str, Any], profile: Profile, rules: list[str]
) -> None:
    """A part breaks one rule at most, and the profile says which rules count."""
    assert [*media_violations(part, profile)] == rules
