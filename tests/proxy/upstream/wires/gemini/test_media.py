"""Tests that media parts are sent as inline data, and that unreadable media is refused."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.upstream.wires.gemini import build_request
from sanitizers.gemini_profiles import GEMINI_3
from tests.support.builders import image, text, user


def file(data: Any, **extra: Any) -> dict[str, Any]:
    """Return a file part."""
    return {"type": "file", "file": {"file_data": data, **extra}}


def audio(data: Any = "aGk=", style: Any = "wav") -> dict[str, Any]:
    """Return an audio part."""
    return {"type": "input_audio", "input_audio": {"data": data, "format": style}}


@pytest.mark.parametrize(
    ("part", "mime_type", "data"),
    [
        (image("data:image/png;base64,aGk="), "image/png", "aGk="),
        ({"type": "image_url", "image_url": "data:image/png;base64,aGk="}, "image/png", "aGk="),
        (image("data:image/jpg;base64,aGk="), "image/jpeg", "aGk="),
        (image("DATA:IMAGE/PNG;charset=x;BASE64,aGk="), "image/png", "aGk="),
        (image("data:png;base64,aGk="), "image/png", "aGk="),
        (
            {"type": "image_url", "image_url": {"url": "data:;base64,aGk=", "format": "png"}},
            "image/png",
            "aGk=",
        ),
        (file("data:application/pdf;base64,aGk=", filename="a.pdf"), "application/pdf", "aGk="),
        ({"type": "file", "file": "data:application/pdf;base64,aGk="}, "application/pdf", "aGk="),
        (file("data:,a%20b"), "text/plain", "YSBi"),
        (image("data:image/png;base64,aG\nk"), "image/png", "aGk="),
        (image("data:image/png;base64,-_-_"), "image/png", "+/+/"),
        (image("data:image/png;base64,aGk%3D"), "image/png", "aGk="),
        (audio(), "audio/wav", "aGk="),
        (audio(style="audio/mp3"), "audio/mp3", "aGk="),
    ],
)
def test_inline_data_is_padded_base64_under_geminis_type(
    part: dict[str, Any], mime_type: str, data: str
) -> None:
    """Media in other encodings or under other type names become padded base64 under Gemini's type."""
    contents = build_request([user([part])], {}, GEMINI_3, "m")["contents"]

    assert contents == [{"role": "user", "parts": [{"inlineData": {"mimeType": mime_type, "data": data}}]}]


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (image("https://example.com/a.png"), "image_url"),
        (image("file:///etc/passwd"), "image_url"),
        (image("data:image/png;base64"), "image_url"),
        (image("data:image/png;base64,"), "image_url"),
        (image("data:image/png;base64, "), "image_url"),
        (image("data:image/png;base64,a"), "image_url"),
        (image("data:image/png;base64,a!b?"), "image_url"),
        (image("data:image/png;base64,äöü="), "image_url"),
        (image("data:image/png;base64," + "%41" * 100_004), "image_url"),
        ({"type": "image_url"}, "image_url"),
        (file("data:text/plain,\ud800"), "file"),
        (file("gs://bucket/a.pdf"), "file"),
        ({"type": "file", "file": {"file_id": "f1"}}, "file"),
        (audio(None), "input_audio"),
        (audio(""), "input_audio"),
        (audio(style=None), "input_audio"),
        (audio("a"), "input_audio"),
        ({"type": "input_audio"}, "input_audio"),
    ],
)
def test_unreadable_media_is_refused(part: dict[str, Any], kind: str) -> None:
    """The wire fetches no URL. The error names the part, without its bytes."""
    with pytest.raises(InvalidRequest) as caught:
        build_request([user([text("a"), part])], {}, GEMINI_3, "m")

    assert caught.value.param == f"messages[0].content[1].{kind}"
    assert len(caught.value.message) < 120
