"""Tests of mending the blocks of one message."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.messages.mend_blocks import mend_blocks
from tests.sanitizers.native.messages.building import Item, answered, assistant, said, thought, used, user
from tests.sanitizers.native.messages.drawn import SERVER


def mended(item: Item) -> tuple[Any, list[tuple[str, str, str]]]:
    """Return *item* mended, and the changes."""
    changes: list[tuple[str, str, str]] = []
    done = mend_blocks(item, lambda *change: changes.append(change))
    return done, changes


@pytest.mark.parametrize(
    "item",
    [
        user("x"),
        user(answered("a"), said("x")),
        assistant(thought(text=""), said("x"), *SERVER, used("a")),
        assistant({"type": "redacted_thinking", "data": "D"}, said("x")),
    ],
)
def test_legal_message_is_the_same_object(item: Item) -> None:
    """Nothing is written anew that Anthropic takes."""
    done, changes = mended(item)

    assert done is item
    assert changes == []


@pytest.mark.parametrize("content", ["", "  ", [], [said("\n")], None])
def test_message_that_says_nothing_goes(content: Any) -> None:
    """Anthropic refuses empty messages."""
    done, changes = mended({"role": "user", "content": content})

    assert done is None
    assert changes[-1] == ("dropped", "empty_message", "")


@pytest.mark.parametrize(
    ("given", "after"),
    [
        (None, {}),
        ("", {}),
        ('{"a":1}', {"a": 1}),
        ("[1]", {"_raw": "[1]"}),
        (7, {"_raw": 7}),
        ([1], {"_raw": [1]}),
    ],
)
def test_input_becomes_an_object(given: Any, after: Any) -> None:
    """Everything that the client sent is kept."""
    done, changes = mended(assistant({**used("a"), "input": given}))

    assert done["content"][0]["input"] == after
    assert changes == [("replaced", "arguments", "content.0")]
