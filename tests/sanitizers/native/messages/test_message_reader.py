"""Tests of reading one message after the other."""

from __future__ import annotations

import pytest

from sanitizers.native.messages.message_reader import MessageReader, is_billing
from tests.sanitizers.native.messages.building import Item, said, user


@pytest.mark.parametrize(
    ("block", "is_one"),
    [
        (said("x-anthropic-billing-header: cch=1"), True),
        (said("An x-anthropic-billing-header: cch=1"), False),
        ({"type": "text", "text": None}, False),
        ({"type": "text"}, False),
    ],
)
def test_billing_line_is_told_by_its_beginning(block: Item, is_one: bool) -> None:
    """Only the line that Claude Code writes for Anthropic is left out."""
    assert is_billing(block) is is_one


def test_reader_counts_what_stands_before_the_spans() -> None:
    """The spans begin behind the message that ``system`` becomes."""
    reader = MessageReader("")
    reader.read_system("Be brief.")
    reader.add(0, user("x"))
    read = reader.finish(1)

    assert read.leading == 1
    assert read.spans[0].messages == range(1, 2)
