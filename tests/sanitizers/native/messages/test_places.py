"""Tests of places, refusals and needs in Anthropic's notation."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.messages.places import (
    as_json,
    claude_need,
    kind_of,
    message_place,
    object_need,
    refuse,
    text_at,
)


def test_refusal_begins_with_its_place() -> None:
    """Claude Code reads the place at the beginning of the words."""
    with pytest.raises(Unrepairable) as caught:
        refuse(message_place(3), "Field required", index=3)

    assert caught.value.message == "messages.3: Field required"
    assert (caught.value.param, caught.value.index) == ("messages.3", 3)


@pytest.mark.parametrize("block", [None, "text", ["text"], {}, {"type": None}, {"type": ["text"]}])
def test_what_has_no_type_is_refused(block: Any) -> None:
    """Every block is an object with a type."""
    with pytest.raises(Unrepairable):
        kind_of(block, "messages.0.content.0")


def test_missing_text_is_empty_and_another_value_is_refused() -> None:
    """Null counts as missing."""
    assert [text_at(holder, "a", "p") for holder in ({}, {"a": None}, {"a": "x"})] == ["", "", "x"]
    with pytest.raises(Unrepairable) as caught:
        text_at({"a": 1}, "a", "p")
    assert caught.value.param == "p.a"


def test_json_is_compact_and_keeps_numbers() -> None:
    """The arguments of a call are written without spaces, and in the client's order."""
    assert as_json({"b": [1.0, None], "a": "é"}, "p") == '{"b":[1.0,null],"a":"é"}'
    with pytest.raises(Unrepairable):
        as_json({"a": "\ud800"}, "p")


def test_need_names_its_place_and_no_long_type() -> None:
    """A client may make up types of any length."""
    need = claude_need("messages.0.content.1", "x" * 999)

    assert need.param == "messages.0.content.1"
    assert len(need.message) < 200
    assert not need.is_like(object_need("messages.0.content.1"))
