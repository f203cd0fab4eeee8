"""Tests of the texts for the model and the client: pinned wordings, and recognition in results."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.turns.notices import (
    delegation_guidance,
    delegation_note,
    delegation_refused,
    error_hint,
    last_words,
    loop_note,
    warning_note,
    with_notices,
    without_notices,
    wrap_up_at_limit,
    wrap_up_of_delegation,
    wrap_up_of_loop,
)
from tests.support.builders import image, text, tool


def test_wordings_of_notes_are_pinned() -> None:
    """A changed wording invalidates cached prefixes. Change this test on purpose only."""
    assert loop_note(1, 5) == (
        "[turnright: This call was made 5 times in a row with the same result. Making the same call again will not "
        "change it: try another way, or answer with what you have.]"
    )
    assert loop_note(3, 5) == (
        "[turnright: These 3 rounds of calls were made 5 times in a row with the same result. Making the same call "
        "again will not change it: try another way, or answer with what you have.]"
    )
    assert warning_note(20, 25) == (
        "[turnright: 20 of 25 rounds of tool calls are used. Work towards an answer.]"
    )
    assert delegation_note(10) == (
        "[turnright: The task was handed on 10 times, which is the limit. Finish it without handing it on.]"
    )
    assert error_hint("f" * 99, 3, "Error: no") == (
        f"[turnright: The tool {'f' * 64} has failed 3 times since the user's last message. Its last words: "
        '"Error: no". Do not call it in the same way again: try another way, or say what is missing.]'
    )
    assert wrap_up_at_limit(25) == (
        "[turnright: The limit of 25 rounds of tool calls is reached. No tool can be called any more. "
        "Answer now with what you have, and say what is left undone.]"
    )
    assert wrap_up_of_loop() == (
        "[turnright: The same tool calls keep coming to the same results. No tool can be called any more. "
        "Answer now with what you have, and say what is left undone.]"
    )
    assert wrap_up_of_delegation(10) == (
        "[turnright: The task was handed on 10 times, which is the limit. No tool can be called any more. "
        "Answer now with what you have, and say what is left undone.]"
    )
    assert last_words(wrap_up_at_limit(25)) == (
        "[turnright: The limit of 25 rounds of tool calls is reached. The model was asked to finish and said nothing; "
        "no further call was passed on.]"
    )
    assert delegation_refused(10) == (
        "[turnright: The task was handed on 10 times, which is the limit; it was not handed on again.]"
    )
    assert [delegation_guidance(limit) for limit in (10, 4, 3)] == [
        "Of 10 rounds of handing on that a task may take, a simple one needs 1-2, a medium one 3-5, "
        "a complex one 6-10.",
        "Of 4 rounds of handing on that a task may take, a simple one needs 1-1, a medium one 2-2, "
        "a complex one 3-4.",
        "A task may be handed on in 3 rounds at most.",
    ]


@pytest.mark.parametrize(
    ("content", "noted"),
    [
        ("x", "x\n\nN\n\nM"),
        ("", "N\n\nM"),
        (None, "N\n\nM"),
        ("x\n\nN", "x\n\nN\n\nM"),
        ([text("x")], [text("x"), text("N"), text("M")]),
        ([image(), text("N")], [image(), text("N"), text("M")]),
        ([], [text("N"), text("M")]),
        ({"a": "é"}, '{"a": "é"}\n\nN\n\nM'),
        ([1, {"a": "\ud800"}], '[1, {"a": "\ud800"}]\n\nN\n\nM'),
        (True, "true\n\nN\n\nM"),
    ],
)
def test_a_notice_follows_the_tools_own_text(content: Any, noted: Any) -> None:
    """A notice that is already in the result is not added twice."""
    message = with_notices(tool("a", content), ["N", "M"])

    assert message == tool("a", noted)
    assert with_notices(message, ["M", "N"]) is message


@pytest.mark.parametrize("said", ["", "x", "x\n\ny"])
def test_notices_are_recognized_and_removed(said: str) -> None:
    """Several notices may follow a text."""
    noted = with_notices(tool("a", said), [loop_note(1, 5), warning_note(1, 2)])["content"]

    assert without_notices(noted) == said
    assert without_notices(said) == said
