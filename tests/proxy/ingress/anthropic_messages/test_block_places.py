"""Tests of the places of the client's blocks."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.block_places import find_block

TEXT = {"type": "text", "text": "Hi."}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "%%%"}}
DOCUMENT = {"type": "document", "context": "C", "source": {"type": "base64", "data": "%%%"}}
CONTENT = [TEXT, RESULT, IMAGE, RESULT, DOCUMENT, TEXT]


@pytest.mark.parametrize(
    ("message", "part", "path"),
    [
        (0, None, ".content.1"),
        (1, 0, ".content.3"),
        (2, None, ""),
        (2, 0, ".content.0"),
        (2, 1, ".content.2.image"),
        (2, 2, ".content.4.document"),
        (2, 3, ".content.4.document"),
        (2, 4, ".content.5"),
        (2, 5, ""),
    ],
)
def test_part_has_the_place_of_its_block(message: int, part: int | None, path: str) -> None:
    """A document's context is a part of its own, and results are messages of their own."""
    assert find_block(CONTENT, message, part) == path


@pytest.mark.parametrize("content", ["Hi.", None, [], [{}], ["Hi."]])
def test_content_without_such_a_block_has_no_place(content: Any) -> None:
    assert find_block(content, 0, 0) == ""
