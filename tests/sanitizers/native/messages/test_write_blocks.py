"""Tests of writing contents as Anthropic's blocks."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.messages.write_blocks import (
    content_blocks,
    is_said,
    mark_last,
    message_blocks,
    result_block,
)

Item = dict[str, Any]
MARK = {"type": "ephemeral", "ttl": "1h"}
PNG = "iVBORw0KGgo="
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}}
IMAGE_BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def text(words: str, **more: Any) -> Item:
    """Return a text, which is the same as a part and as a block."""
    return {"type": "text", "text": words, **more}


def file(**fields: Any) -> Item:
    """Return a file's part."""
    return {"type": "file", "file": fields}


PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
PDF_DATA = "data:application/pdf;base64,JVBERi0="


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ("hi", [text("hi")]),
        ("", []),
        (" \n", []),
        (None, []),
        ([text("a"), text(" "), text("b", cache_control=MARK)], [text("a"), text("b", cache_control=MARK)]),
        ([{"type": "refusal", "refusal": "no"}], [text("no")]),
        ([IMAGE], [IMAGE_BLOCK]),
        ([{**IMAGE, "cache_control": MARK}], [{**IMAGE_BLOCK, "cache_control": MARK}]),
        (
            [{"type": "image_url", "image_url": "https://a.example/b.png"}],
            [{"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}}],
        ),
        (
            [file(file_data=PDF_DATA, filename="a.pdf")],
            [{"type": "document", "source": PDF, "title": "a.pdf"}],
        ),
        (
            [file(file_data="https://a.example/b.pdf")],
            [{"type": "document", "source": {"type": "url", "url": "https://a.example/b.pdf"}}],
        ),
        ([file(file_id="file_1")], [{"type": "document", "source": {"type": "file", "file_id": "file_1"}}]),
        ([file(file_data=f"data:image/png;base64,{PNG}")], [IMAGE_BLOCK]),
        (
            [file(file_data=f"data:text/csv;base64,{b64encode('ä,b'.encode()).decode()}")],
            [
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "ä,b"},
                }
            ],
        ),
        (
            [file(file_data="data:text/plain,a%20b")],
            [
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "a b"},
                }
            ],
        ),
        ([{"type": "image_url", "image_url": {"url": "data:image/png,%89PNG%0D%0A%1A%0A"}}], [IMAGE_BLOCK]),
    ],
)
def test_content_becomes_blocks(content: Any, blocks: list[Item]) -> None:
    """Each part has its block, and texts that say nothing have none."""
    assert content_blocks(content) == blocks


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "video_url", "video_url": {"url": "https://a.example/b.mp4"}},
        {"type": "image_url", "image_url": {"url": "gs://bucket/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png,\ud800"}},
        file(),
    ],
)
def test_media_without_a_form_is_refused(part: Item) -> None:
    """A value that Claude cannot be given is no block, and is not left out silently."""
    with pytest.raises(Unrepairable) as refusal:
        content_blocks([part])
    assert refusal.value.rule == "media_unreadable"


def test_an_unchanged_part_is_its_native_block() -> None:
    """The native block of a part may hold what a part cannot hold."""
    part, native = text("a"), text("a", citations=[{"type": "char_location"}])
    assert content_blocks([part, text("a")], {id(part): native}) == [native, text("a")]


def test_the_mark_of_a_message_goes_to_its_last_block() -> None:
    """A block's own mark comes before that of the message."""
    marked = {"role": "user", "content": [text("a"), text("b")], "cache_control": MARK}
    assert message_blocks(marked) == [text("a"), text("b", cache_control=MARK)]
    own = {"type": "ephemeral"}
    assert message_blocks({**marked, "content": [text("a", cache_control=own)]}) == [
        text("a", cache_control=own)
    ]


def test_thoughts_get_no_mark() -> None:
    """Anthropic refuses a mark on thoughts (langchain#34542)."""
    thought: Item = {"type": "thinking", "thinking": "", "signature": "s"}
    blocks = [text("a"), thought]
    mark_last(blocks, MARK)
    assert blocks == [text("a", cache_control=MARK), thought]


@pytest.mark.parametrize(
    ("message", "block"),
    [
        ({"content": "ok"}, {"content": "ok"}),
        ({"content": ""}, {}),
        ({"content": []}, {}),
        ({"content": "no", "is_error": True}, {"content": "no", "is_error": True}),
        ({"content": "ok", "is_error": False}, {"content": "ok"}),
        ({"content": "ok", "cache_control": MARK}, {"content": "ok", "cache_control": MARK}),
        (
            {"content": [text("a", cache_control=MARK), IMAGE]},
            {"content": [text("a", cache_control=MARK), IMAGE_BLOCK]},
        ),
    ],
)
def test_result_becomes_a_block(message: Item, block: Item) -> None:
    """A result keeps its error, its mark and its media."""
    expected = {"type": "tool_result", "tool_use_id": "c1", **block}
    assert result_block({"role": "tool", "tool_call_id": "c1", **message}) == expected


@pytest.mark.parametrize(("words", "said"), [("a", True), (" a ", True), ("", False), ("\n\t ", False)])
def test_white_space_says_nothing(words: str, *, said: bool) -> None:
    """Anthropic refuses texts of nothing but white space."""
    assert is_said(words) is said
