"""Tests of messages after changes."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.messages.changed_messages import ChangedMessages, blocks_of, with_blocks
from tests.sanitizers.native.messages.building import said, user


@pytest.mark.parametrize(
    ("content", "blocks"), [("x", [said("x")]), ([said("x")], [said("x")]), (None, []), (7, []), ([], [])]
)
def test_content_is_blocks(content: Any, blocks: list[Any]) -> None:
    """A text is one block."""
    assert blocks_of({"role": "user", "content": content}) == blocks


def test_message_with_its_own_blocks_is_the_same() -> None:
    """Only other blocks make another message, which keeps the other fields."""
    item = {**user(said("x"), said("y")), "id": 1}

    assert with_blocks(item, [*item["content"]]) is item
    assert with_blocks(item, item["content"][:1]) == {"role": "user", "content": [said("x")], "id": 1}
    assert with_blocks(user("x"), [said("x")]) == user(said("x"))


def test_origins_are_the_indexes_without_changes() -> None:
    """Each message is its own origin where nothing was changed."""
    assert ChangedMessages([user("x")] * 3).origin_of(2) == 2
    assert ChangedMessages([user("x")], origins=(4,)).origin_of(0) == 4
