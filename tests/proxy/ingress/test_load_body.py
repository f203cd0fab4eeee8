"""Tests that bodies with a history are decoded, and that half characters in the history are mended."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.load_body import load_body, without_plain_entries
from sanitizers import Change

HALF = rb'{"m": "x", "input": [{"a": "ok"}, {"a": "\ud83d"}]}'


def test_readable_body_comes_back_as_the_same_bytes() -> None:
    """Nothing is mended, and nothing is reported."""
    body = b'{"input": []}'
    fields, parsed, changes = load_body(body, "input", mends=True)

    assert fields == {"input": []}
    assert parsed is body
    assert changes == ()


def test_half_character_in_the_history_is_replaced_and_reported() -> None:
    """The report has the index of the entry."""
    fields, parsed, changes = load_body(HALF, "input", mends=True)

    assert fields["input"][1] == {"a": "\ufffd"}
    assert b"\\ud83d" not in parsed
    assert changes == (Change("shape", "replaced", 1, "half_character"),)


@pytest.mark.parametrize(("history", "mends"), [("input", False), ("messages", True)])
def test_half_character_is_refused_elsewhere_and_where_nothing_is_mended(history: str, mends: bool) -> None:
    """A changed parameter would be a guess."""
    with pytest.raises(InvalidRequest):
        load_body(HALF, history, mends=mends)


def test_entries_of_texts_alone_are_left_out() -> None:
    """The check of nesting needs the other entries, and all other fields."""
    plain = {"role": "user", "content": "x"}
    deep: dict[str, Any] = {"content": [[]]}
    fields = {"model": "m", "messages": [plain, deep, "text"]}

    assert without_plain_entries(fields, "messages") == {"model": "m", "messages": [deep, "text"]}
    assert without_plain_entries({"messages": "x"}, "messages") == {"messages": "x"}
