"""Tests of the ``media`` step, which repairs inline media or replaces it by a note."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from sanitizers import Profile, Unrepairable, find_violations, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from sanitizers.messages import Entry
from sanitizers.profile_names import profile_for
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import ANTHROPIC, DEEPSEEK, MISTRAL
from sanitizers.steps.media import check_media
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, image, text, tool, user

PNG = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()
JPEG = b64encode(b"\xff\xd8\xff\xe0" + bytes(20)).decode()
GIF = b64encode(b"GIF89a" + bytes(20)).decode()
PDF = b64encode(b"%PDF-1.7\n" + bytes(20)).decode()
HEIC = b64encode(bytes(4) + b"ftypheic" + bytes(20)).decode()
CLAUDE = profile_for("anthropic/claude-opus-4-8").over_messages(is_claude=True, takes_systems=True)
OF_OTHERS = profile_for("anthropic/glm-4.6").over_messages(is_claude=False, takes_systems=False)
AT_BEDROCK = profile_for("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0")
NOTE = text("[Left out: an image that this model cannot be given.]")


def inline(kind: str, data: str = "aGk=", **extra: Any) -> dict[str, Any]:
    """Return an image part of this type."""
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}", **extra}}


def file(data: str) -> dict[str, Any]:
    """Return a file part."""
    return {"type": "file", "file": {"file_data": data}}


PDF_FILE = file(f"data:application/pdf;base64,{PDF}")


def named(file_id: str, data: str) -> dict[str, Any]:
    """Return a file part with an id and with its bytes."""
    return {"type": "file", "file": {"file_id": file_id, "file_data": f"data:application/pdf;base64,{data}"}}


def audio(data: str = "aGk=", style: str = "wav") -> dict[str, Any]:
    """Return an audio part."""
    return {"type": "input_audio", "input_audio": {"data": data, "format": style}}


def video(url: str) -> dict[str, Any]:
    """Return a video part."""
    return {"type": "video_url", "video_url": {"url": url}}


LEGAL: list[tuple[dict[str, Any], Profile]] = [
    (image(), OPENAI),
    (inline("image/png", PNG), GEMINI_3),
    (inline("image/gif", GIF), OPENAI),
    (inline("image/webp", "aGk="), GEMINI_2),
    (inline("image/heif", HEIC), GEMINI_3),
    (inline("application/pdf", PDF), GEMINI_3),
    (image("https://example.com/a.png"), OPENAI),
    (image("HTTP://example.com/a.png"), OPENAI),
    (image("HTTPS://example.com/a.png"), CLAUDE),
    (file("https://example.com/a.pdf"), CLAUDE),
    (file(f"data:application/pdf;base64,{PDF}"), OPENAI),
    (file("data:application/msword;base64,aGk="), OPENAI),
    (file(PDF), OPENAI),
    ({"type": "file", "file": {"file_id": "file-1"}}, OPENAI),
    (audio(), OPENAI),
    (audio(style="pcm16"), OPENAI),
    (audio(), GEMINI_3),
    (audio(PNG), GEMINI_3),
    (inline("audio/l16;rate=24000"), GEMINI_3),
    (inline("image/bmp"), replace(OPENAI, image_types=None)),
    (video("data:video/jpeg;base64,AA==,AA=="), OPENAI),
]

MENDED: list[tuple[str, dict[str, Any], dict[str, Any], str, Profile]] = [
    ("jpg", inline("image/jpg"), inline("image/jpeg"), "media_type", OPENAI),
    ("a bare subtype", inline("png"), inline("image/png"), "media_type", GEMINI_3),
    ("a bare pdf", inline("pdf"), inline("application/pdf"), "media_type", GEMINI_3),
    ("upper case", inline("IMAGE/PNG"), inline("image/png"), "media_type", OPENAI),
    ("png that is jpeg", inline("image/png", JPEG), inline("image/jpeg", JPEG), "media_type", OPENAI),
    ("octets that are png", inline("application/octet-stream", PNG), inline("image/png", PNG), "media_type", OPENAI),
    ("no type", inline("", PNG), inline("image/png", PNG), "media_type", OPENAI),
    ("a format beside it", inline("png", JPEG, format="png"), inline("image/jpeg", JPEG), "media_type", OPENAI),
    ("an image's options", inline("image/png;charset=utf-8"), inline("image/png"), "media_encoding", OPENAI),
    ("the scheme", image("DATA:image/png;base64,aGk="), inline("image/png"), "media_encoding", OPENAI),
    ("BASE64", image("data:image/png;BASE64,aGk="), inline("image/png"), "media_encoding", OPENAI),
    ("line breaks", inline("image/png", "aG\r\nk="), inline("image/png"), "media_encoding", OPENAI),
    ("padding", inline("image/png", "aGk"), inline("image/png"), "media_encoding", OPENAI),
    ("the URL alphabet", inline("image/png", "-_-_"), inline("image/png", "+/+/"), "media_encoding", OPENAI),
    ("percent signs", inline("image/png", "aGk%3D"), inline("image/png"), "media_encoding", OPENAI),
    ("no base64", file("data:text/plain,a%20b"), file("data:text/plain;base64,YSBi"), "media_encoding", OPENAI),
    ("neither type", file("data:,a%20b"), file("data:text/plain;base64,YSBi"), "media_type", GEMINI_3),
    ("a recording", audio("aGk"), audio("aGk="), "media_encoding", OPENAI),
    ("a recording's format", audio(style="audio/mp3"), audio(style="mp3"), "media_encoding", OPENAI),
    ("a recording's type", audio(style="WAV"), audio(style="wav"), "media_type", GEMINI_3),
    ("an address beside a file", named("https://host/x.pdf", PDF), PDF_FILE, "file_id", ANTHROPIC),
    ("another's id beside a file", named("file-1", PDF), PDF_FILE, "file_id", GEMINI_3),
    (
        "a text for an object",
        {"type": "image_url", "image_url": "data:image/jpg;base64,aGk="},
        {"type": "image_url", "image_url": "data:image/jpeg;base64,aGk="},
        "media_type",
        GEMINI_3,
    ),
]  # fmt: skip

HOPELESS: list[tuple[str, dict[str, Any], str, Profile]] = [
    ("no comma", image("data:image/png;base64"), "media_unreadable", OPENAI),
    ("nothing behind it", image("data:image/png;base64,"), "media_unreadable", OPENAI),
    ("letters of none", inline("image/png", "a!b?"), "media_unreadable", OPENAI),
    ("one letter too many", inline("image/png", "aGkaG"), "media_unreadable", OPENAI),
    ("no ASCII", inline("image/png", "äöü="), "media_unreadable", OPENAI),
    ("half a character", inline("image/png", "\ud800aaa"), "media_unreadable", OPENAI),
    ("a recording of nothing", audio(""), "media_unreadable", OPENAI),
    ("a recording of no kind", audio(style=""), "media_unreadable", OPENAI),
    ("bmp", inline("image/bmp"), "media_type", OPENAI),
    ("svg", inline("image/svg+xml"), "media_type", OPENAI),
    ("gif for Gemini", inline("image/gif", GIF), "media_type", GEMINI_3),
    ("png that is gif", inline("image/png", GIF), "media_type", GEMINI_3),
    ("a pdf for an image", inline("application/pdf", PDF), "media_type", OPENAI),
    ("a document for Gemini", file("data:application/msword;base64,aGk="), "media_type", GEMINI_2),
    ("https for Gemini", image("https://example.com/a.png"), "remote_media", GEMINI_3),
    ("http for Claude", image("http://example.com/a.png"), "remote_media", CLAUDE),
    ("http of a file for Claude", file("http://example.com/a.pdf"), "remote_media", CLAUDE),
    ("gs for Claude", image("gs://bucket/a.png"), "remote_media", CLAUDE),
    ("https for Claude elsewhere", image("https://example.com/a.png"), "remote_media", AT_BEDROCK),
    ("https for another at Anthropic's API", image("https://example.com/a.png"), "remote_media", OF_OTHERS),
    ("gs", image("gs://bucket/a.png"), "remote_media", OPENAI),
    ("gs as a text", {"type": "image_url", "image_url": "gs://bucket/a.png"}, "remote_media", GEMINI_2),
    ("a film for Gemini", video("data:video/mp4;base64,AA=="), "media_type", GEMINI_2),
    ("a film for Claude", video("https://host/x.mp4"), "media_type", ANTHROPIC),
    ("file", image("file:///etc/passwd"), "remote_media", OPENAI),
    ("no address", image("a.png"), "remote_media", OPENAI),
    ("nothing", image(""), "remote_media", OPENAI),
    ("a file's address", file("https://example.com/a.pdf"), "remote_media", OPENAI),
    ("a file's id for Gemini", {"type": "file", "file": {"file_id": "file-1"}}, "remote_media", GEMINI_3),
    ("a number for an id", {"type": "file", "file": {"file_id": 123}}, "remote_media", OPENAI),
    (
        "an address for an id",
        {"type": "file", "file": {"file_id": "https://host/x.pdf"}},
        "remote_media",
        OPENAI,
    ),
    ("a recording for Mistral", audio(), "media_type", MISTRAL),
    ("a file for DeepSeek", file("aGk="), "media_type", DEEPSEEK),
    (
        "a file for Ollama",
        file(f"data:application/pdf;base64,{PDF}"),
        "media_type",
        profile_for("ollama_chat/qwen3"),
    ),
    ("more percent signs than bytes", inline("image/png", "%41" * 100_001), "media_unreadable", OPENAI),
]


@pytest.mark.parametrize(("part", "profile"), LEGAL)
def test_readable_media_is_left_alone(part: dict[str, Any], profile: Profile) -> None:
    """The checker finds no violation, and the step changes nothing."""
    history = [user([text("look"), part])]

    assert find_violations(history, profile) == ()
    check(check_media, Case("", history, None, profile=profile))


@pytest.mark.parametrize(
    ("part", "expected", "reason", "profile"), [row[1:] for row in MENDED], ids=[r[0] for r in MENDED]
)
def test_media_with_a_wrong_notation_is_repaired_in_place(
    part: dict[str, Any], expected: dict[str, Any], reason: str, profile: Profile
) -> None:
    """The bytes stay the same, and the checker accepts the repaired part."""
    given = [user([text("look"), part]), assistant("ok"), user("and?")]
    wanted = [user([text("look"), expected]), *given[1:]]

    check(check_media, Case("", given, wanted, [("replaced", 0, reason)], profile))
    assert find_violations(given, profile) != ()
    assert find_violations(wanted, profile) == ()


@pytest.mark.parametrize(
    ("part", "rule", "profile"), [row[1:] for row in HOPELESS], ids=[row[0] for row in HOPELESS]
)
def test_unreadable_media_in_the_newest_turn_is_refused(
    part: dict[str, Any], rule: str, profile: Profile
) -> None:
    """The error names the part and a remedy. The error does not quote the media's address."""
    history = [user("a"), assistant("b"), user([text("look"), part]), user("well?")]

    (found,) = (v.rule for v in find_violations(history, profile) if v.index == 2)
    assert found == rule or (found, rule) == ("media_mistyped", "media_type")
    with pytest.raises(Unrepairable) as caught:
        sanitize(history, profile)

    error = caught.value
    assert (error.rule, error.index) == (rule, 2)
    assert error.param == f"messages[2].content[1].{part['type']}"
    assert "'messages[2].content[1]'" in error.message
    assert "data:" in error.message
    assert "example.com" not in error.message


@pytest.mark.parametrize(
    ("part", "rule", "profile"), [row[1:] for row in HOPELESS], ids=[row[0] for row in HOPELESS]
)
def test_unreadable_media_in_older_history_leaves_a_note(
    part: dict[str, Any], rule: str, profile: Profile
) -> None:
    """An old image must not end a conversation."""
    history = [user([text("look"), part]), assistant("b"), user("and now?")]

    done = sanitize(history, profile)

    assert done.violations == ()
    assert [(c.step, c.index, c.reason, c.detail) for c in done.changes] == [
        ("media", 0, "left_out", f"content[1]:{rule}")
    ]
    assert done.messages[0]["content"][0] == text("look")
    assert done.messages[0]["content"][1]["text"].startswith("[Left out: a")


def test_a_tools_broken_image_leaves_a_note() -> None:
    """The client cannot choose the media of a tool, so the tool's newest result is not refused."""
    results = tool("c", [text("here"), inline("image/png", "a!b?")])
    history = [user("go"), assistant(calls=[call("c")]), results]

    done = sanitize(history, OPENAI)

    assert done.messages[2]["content"] == [text("here"), NOTE]
    assert [change.reason for change in done.changes] == ["left_out"]


def test_media_in_roles_that_hold_none_is_left_to_shape() -> None:
    """The step changes no media in assistant messages, since the ``shape`` step drops it."""
    check(check_media, Case("", [user("a"), assistant([inline("image/png", "?")])], None, profile=OPENAI))


def test_one_broken_image_of_two_leaves_the_other() -> None:
    """Each part is repaired by itself."""
    good = inline("image/png", PNG)
    entries = (Entry(user([good, inline("image/bmp")]), 0), Entry(assistant("b"), 1), Entry(user("c"), 2))

    after, _ = check_media(entries, OPENAI)

    assert after[0].message["content"] == [good, NOTE]
    assert after[0].message["content"][0] is good
