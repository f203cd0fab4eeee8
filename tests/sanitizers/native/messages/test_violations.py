"""Tests of Anthropic's own rules for blocks."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.messages.violations import find_block_violations, marks_in, media_in
from tests.sanitizers.native.messages.building import (
    MARK,
    Item,
    answered,
    assistant,
    image,
    inline,
    said,
    sealed,
    thought,
    used,
    user,
)
from tests.sanitizers.native.messages.drawn import SERVER

GO = user("go")

BROKEN: dict[str, list[Item]] = {
    "envelope_own": [GO, assistant(sealed("a"), said("x"))],
    "input_no_object": [GO, assistant({**used("a"), "input": "{}"})],
    "mark_misplaced": [GO, assistant({**thought(), **MARK}, said("x"))],
    "marks_many": [user(*[said("x", **MARK)] * 5)],
    "media_many": [user(*[image()] * 101)],
    "message_empty": [{"role": "user", "content": " "}],
    "results_behind": [assistant("x"), user(said("x"), answered("a"))],
    "results_split": [user(answered("a")), user(answered("b"))],
    "server_result_orphaned": [GO, assistant(SERVER[1])],
    "system_misplaced": [inline("x"), GO],
    "text_blank": [user(said(" "), said("x"))],
    "thinking_unsigned": [GO, assistant(thought(""), said("x"))],
}


@pytest.mark.parametrize(("rule", "items"), BROKEN.items(), ids=BROKEN)
def test_each_rule_is_found_alone(rule: str, items: list[Item]) -> None:
    """A list that breaks one rule breaks no other."""
    assert {violation.rule for violation in find_block_violations(items)} == {rule}


@pytest.mark.parametrize(
    "items",
    [
        [GO, inline("x")],
        [GO, inline("x"), assistant("y")],
        [GO, assistant(*SERVER), inline("x")],
        [user(*[said("x", **MARK)] * 4)],
        [user(*[image()] * 100)],
        [user(answered("a"), said("x")), user("y")],
        [GO, assistant(*SERVER, said("x"))],
        [user(answered("a", []), answered("b", None))],
    ],
)
def test_what_anthropic_takes_breaks_nothing(items: list[Item]) -> None:
    """The limits themselves are legal."""
    assert find_block_violations(items) == ()


@pytest.mark.parametrize(
    "items",
    [
        [inline("x")],
        [GO, assistant("y"), inline("x")],
        [GO, inline("x"), user("y")],
        [GO, inline("x"), inline("y")],
    ],
)
def test_place_of_a_system_message_is_judged(items: list[Item]) -> None:
    """Behind a user's message, and last or before the model's."""
    assert "system_misplaced" in {violation.rule for violation in find_block_violations(items)}


def test_model_without_system_messages_takes_none() -> None:
    """Each one is named by its index."""
    found = find_block_violations([GO, inline("x")], takes_systems=False)

    assert [(violation.rule, violation.index) for violation in found] == [("system_refused", 1)]


def test_marks_outside_the_messages_count() -> None:
    """Four are allowed in all."""
    marked = [user(*[said("x", **MARK)] * 2)]

    assert find_block_violations(marked, marks=2) == ()
    assert find_block_violations(marked, marks=3) != ()


@pytest.mark.parametrize(
    ("content", "count"),
    [(None, 0), ("x", 0), ([said("x", **MARK), answered("a", [said("y", **MARK)], **MARK)], 3)],
)
def test_marks_in_results_count(content: Any, count: int) -> None:
    """A mark may stand on a result, and on a text in it."""
    assert marks_in(content) == count


def test_media_in_results_count() -> None:
    """Images and documents, wherever they stand."""
    assert media_in([image(), answered("a", [image(), said("x")]), {"type": "document"}]) == 3
