"""Tests that tool results count as equal if they differ only in what the tool did not write."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.turns.notices import loop_note, with_notices
from sanitizers.turns.outcomes import outcome_of, words_of
from tests.sanitizers.turns.histories import (
    ENFORCE,
    guard,
    loop_of,
)
from tests.support.builders import image, text, tool, user

NOTE = loop_note(1, 5)
PART = {"type": "tool_result", "content": "ok"}
CACHED: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tool("a", "x"), tool("b", "x")),
        (tool("a", "x"), tool("b", [text("x")])),
        (tool("a", [text("x")]), tool("b", [text("x", **CACHED)])),
        (tool("a", [text("x"), image()]), tool("b", [text("x"), image(**CACHED)])),
        (tool("a", "x"), with_notices(tool("b", "x"), [NOTE])),
        (tool("a", ""), with_notices(tool("b", ""), [NOTE])),
        (tool("a", [text("x")]), with_notices(tool("b", [text("x")]), [NOTE])),
        (tool("a", [text("x"), image()]), with_notices(tool("b", [text("x"), image()]), [NOTE])),
        (user("Call id: c1\nError:\nno"), user("Call id: c2\nError:\nno")),
        (user([text("Observation:\nx\nCall id: c1\nError:\nno")]), user("Observation:\nx\nError:\nno")),
        (tool("a", {"n": 1}), tool("b", {"n": 1})),
        (tool("a", {"n": 1}), with_notices(tool("b", {"n": 1}), [NOTE])),
        (tool("a", [1, {"a": None}]), tool("b", [1, {"a": None}])),
        (tool("a", None), with_notices(tool("b", None), [NOTE])),
        (user([{**PART, "tool_use_id": "a"}]), user([{**PART, "tool_use_id": "b"}])),
    ],
)
def test_a_result_is_the_same_under_another_id_form_mark_or_notice(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    """Ids, form, cache marks and notices are not the tool's, so results that differ only there are equal."""
    assert outcome_of(one) == outcome_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tool("a", "x"), tool("a", "y")),
        (tool("a", "x"), tool("a", "x ")),
        (tool("a", "x"), tool("a", [text("x"), image()])),
        (tool("a", [image()]), tool("a", [image("https://other.example/a.png")])),
        (tool("a", "Call id: c1\nError:\nno"), tool("a", "Call id: c2\nError:\nno")),
        (user("Call id: c1\nError:\nno"), user("Call id: c1\nError:\nyes")),
        (tool("a", {"n": 1}), tool("a", {"n": 2})),
        (tool("a", None), tool("a", "x")),
    ],
)
def test_a_result_with_another_text_is_another_result(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Results with other media or other white space differ too."""
    assert outcome_of(one) != outcome_of(other)


def test_the_words_of_a_result_are_its_texts() -> None:
    """Media and notices are left out of a result's words. A value that is no text is written as JSON."""
    assert words_of(with_notices(tool("a", "x"), [NOTE])) == "x"
    assert words_of(with_notices(tool("a", [text("x"), image(), text("y")]), [NOTE])) == "xy"
    assert words_of(tool("a", {"n": 1})) == '{"n": 1}'


def test_a_note_of_another_turnright_does_not_hide_a_loop() -> None:
    """A note that another turnright added to a result does not change the loop that is found."""
    for content in ("", "x", [text("x")], [text("x"), image()]):
        history = [
            message if message["role"] != "tool" else {**message, "content": content}
            for message in loop_of(6)
        ]
        noted = list(guard(history, ENFORCE).messages[:-1])

        assert guard(history).turn.loop_period == 1
        assert noted != history
        assert guard(noted).turn.loop_period == 1
