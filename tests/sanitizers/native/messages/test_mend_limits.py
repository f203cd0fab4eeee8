"""Tests of dropping cache marks and media above the limits."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sanitizers.native.messages.mend_limits import drop_marks, drop_media, drop_media_at, without_marks
from tests.sanitizers.native.messages.building import MARK, answered, image, said, user

ITEM = user(answered("a", [said("x", **MARK), image()], **MARK), said("y", **MARK), image(), image("url"))


@pytest.mark.parametrize(("most", "left"), [(0, "xay"), (1, "ay"), (2, "y"), (3, "")])
def test_first_marks_go(most: int, left: str) -> None:
    """A text in a result stands before the result's own mark, which is at its end."""
    before = copy.deepcopy(ITEM)
    result, text, *_ = drop_marks(ITEM, most)["content"]
    found = {"x": result["content"][0], "a": result, "y": text}

    assert "".join(name for name, block in found.items() if "cache_control" in block) == left
    assert before == ITEM


@pytest.mark.parametrize(("most", "left"), [(0, 3), (1, 2), (2, 1), (3, 0), (9, 0)])
def test_first_media_become_notes(most: int, left: int) -> None:
    """A note says that something was there."""
    result, _, *media = drop_media(ITEM, most)["content"]
    blocks: list[Any] = [result["content"][1], *media]

    assert [block["type"] for block in blocks] == ["text"] * (3 - left) + ["image"] * left
    assert all("Left out" in block["text"] for block in blocks if block["type"] == "text")


def test_note_keeps_the_mark_of_its_image() -> None:
    """The prompt's cache ends where it ended before."""
    [note] = drop_media(user({**image(), **MARK}), 1)["content"]

    assert note["cache_control"] == MARK["cache_control"]


def test_named_media_go() -> None:
    """An image by its place, and all images of a result by the result's."""
    assert [block["type"] for block in drop_media_at(ITEM, 2)["content"]] == [
        "tool_result",
        "text",
        "text",
        "image",
    ]
    assert [part["type"] for part in drop_media_at(ITEM, 0)["content"][0]["content"]] == ["text", "text"]
    assert drop_media_at(ITEM, 1) is ITEM
    assert drop_media_at(ITEM, 9) is ITEM


def test_first_marks_of_tools_go() -> None:
    """A value that is no object stays."""
    assert without_marks([said("a", **MARK), "odd", said("b", **MARK)], 1) == [
        said("a"),
        "odd",
        said("b", **MARK),
    ]
