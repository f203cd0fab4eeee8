"""Tests of reading the client's blocks as parts of chat messages."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.messages.read_parts import ReadParts, content_of, read_block, read_blocks
from sanitizers.native.protocol import HELD_PLACEHOLDER
from tests.sanitizers.native.messages.building import MARK, Item, image, said

PNG = "data:image/png;base64,iVBORw0KGgo="
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}


def parts_of(block: Item) -> list[Any]:
    """Return the parts of *block*, each as its type with its text or address."""
    read = ReadParts([], [])
    found = []
    for part in read_block(block, "p", read):
        held = part[part["type"]]
        found.append((part["type"], held.get("url") or held if isinstance(held, dict) else held))
    return found


@pytest.mark.parametrize(
    ("block", "parts"),
    [
        (said("x"), [("text", "x")]),
        (image(), [("image_url", PNG)]),
        (image("url"), [("image_url", "https://example.com/a.png")]),
        (image("file"), [("text", HELD_PLACEHOLDER)]),
        (
            {"type": "document", "source": PDF},
            [("file", {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "document.pdf"})],
        ),
        (
            {"type": "document", "source": PDF, "title": "T", "context": "C"},
            [("text", "C"), ("file", {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "T"})],
        ),
        (
            {
                "type": "document",
                "title": "T",
                "source": {"type": "text", "media_type": "text/plain", "data": "d"},
            },
            [("text", "T\n\nd")],
        ),
        (
            {"type": "document", "source": {"type": "url", "url": "https://e.org/a.pdf"}},
            [("file", {"file_data": "https://e.org/a.pdf"})],
        ),
        (
            {
                "type": "document",
                "title": "T",
                "source": {"type": "content", "content": [said("a"), image()]},
            },
            [("text", "T"), ("text", "a"), ("image_url", PNG)],
        ),
        ({"type": "document", "source": {"type": "content", "content": "a"}}, [("text", "a")]),
        ({"type": "document", "source": {"type": "file", "file_id": "f"}}, [("text", HELD_PLACEHOLDER)]),
        (
            {"type": "search_result", "title": "T", "source": "s", "content": [said("a"), said("b")]},
            [("text", "T (s)\n"), ("text", "a"), ("text", "b")],
        ),
        ({"type": "tool_reference", "tool_name": "g"}, [("text", "Found the tool g.")]),
        ({"type": "unheard_of"}, [("text", HELD_PLACEHOLDER)]),
    ],
)
def test_block_becomes_the_parts_that_chat_has(block: Item, parts: list[Any]) -> None:
    """Nothing that a model can read is lost: titles, contexts, texts and media stay."""
    assert parts_of(block) == parts


def test_cache_mark_stays_on_the_last_part() -> None:
    """A mark is at the end of its block."""
    marked = {"type": "document", "source": PDF, "context": "C", **MARK}
    [context, file] = read_block(marked, "p", ReadParts([], []))

    assert "cache_control" not in context
    assert file["cache_control"] == MARK["cache_control"]


@pytest.mark.parametrize(
    "block",
    [said("x", citations=[{}]), {"type": "document", "source": PDF, "citations": {"enabled": True}}],
)
def test_citations_are_named(block: Item) -> None:
    """A chat has no citations, neither made nor asked for."""
    read = ReadParts([], [])
    read_block(block, "p", read)

    assert read.left_out == ["p.citations"]


@pytest.mark.parametrize(
    ("content", "after"),
    [(None, ""), ("", ""), ([], ""), ([said("x")], "x"), ([said("x", **MARK)], [said("x", **MARK)])],
)
def test_one_text_is_a_plain_text(content: Any, after: Any) -> None:
    """A plain text is what nearly every server reads. A mark needs a part."""
    assert read_blocks(content, "p", ReadParts([], [])) == after


def test_no_parts_are_an_empty_text() -> None:
    """A content is never an empty list."""
    assert content_of([]) == ""
