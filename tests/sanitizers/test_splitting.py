"""Tests of splitting a turn of several calls into turns of one call."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.messages import Entry
from sanitizers.splitting import one_call_each
from tests.support.builders import assistant, call, tool

ONE, TWO = call("a"), call("b", "g")


def split(turn: dict[str, Any], *results: dict[str, Any], nothing: str | None = None) -> list[Entry]:
    """Return the rounds of *turn*, which is the client's message 3, and of its *results* behind it."""
    given = [Entry(result, 4 + at) for at, result in enumerate(results)]
    return list(one_call_each(Entry(turn, 3), given, nothing=nothing))


@pytest.mark.parametrize("nothing", [None, ""])
def test_each_result_stands_behind_its_call(nothing: str | None) -> None:
    """The first turn keeps the text and the other fields. All turns have the origin of the client's turn."""
    turn = assistant("on it", [ONE, TWO], x=1)

    rounds = split(turn, tool("b", "2"), tool("a", "1"), nothing=nothing)

    assert [(entry.origin, entry.message) for entry in rounds] == [
        (3, assistant("on it", [ONE], x=1)),
        (5, tool("a", "1")),
        (3, assistant(nothing, [TWO])),
        (4, tool("b", "2")),
    ]
    assert turn == assistant("on it", [ONE, TWO], x=1)


def test_result_of_no_call_and_call_without_result_are_kept() -> None:
    """No call and no result gets lost, and none is written twice."""
    rounds = split(assistant("", [ONE, TWO]), tool("x"), tool("b"), tool("b", "again"))

    assert [entry.message for entry in rounds] == [
        assistant("", [ONE]),
        assistant("", [TWO]),
        tool("b"),
        tool("b", "again"),
        tool("x"),
    ]
