"""Tests of Claude's thinking in the open turn."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.messages.changed_messages import ChangedMessages
from sanitizers.native.messages.open_thinking import drop_thinking, loses_thinking
from tests.sanitizers.native.messages.building import (
    Item,
    answered,
    assistant,
    said,
    sealed,
    thought,
    used,
    user,
)

ENABLED = {"type": "enabled", "budget_tokens": 2000}
ADAPTIVE = {"type": "adaptive"}
BARE = [user("go"), assistant(used("a")), user(answered("a"))]
FIRST = [user("go"), assistant(thought("S1"), used("a")), user(answered("a"))]
SECOND = [*FIRST, assistant(used("b")), user(answered("b"))]
BEGUN = [user("go"), assistant(said("The answer is"))]
"""A history whose last answer the model goes on with."""

OLDER = [user("hi"), assistant(thought("S0"), said("so"))]
CLOSED = [*FIRST, assistant("so"), user("and?")]


@pytest.mark.parametrize(
    ("before", "after", "thinking", "loses"),
    [
        (FIRST, FIRST, ENABLED, False),
        (SECOND, SECOND, ENABLED, False),  # later calls of a turn come without thinking
        (FIRST, [FIRST[0], assistant(used("a")), FIRST[2]], ADAPTIVE, True),
        (FIRST, [FIRST[0], assistant(used("a"), thought("S1")), FIRST[2]], ADAPTIVE, True),
        (FIRST, [FIRST[0], assistant(thought("S2"), used("a")), FIRST[2]], ADAPTIVE, True),
        (CLOSED, [user("go"), assistant(used("a")), *CLOSED[2:]], ENABLED, False),
        (BARE, BARE, ENABLED, True),
        (BARE, BARE, ADAPTIVE, False),
        (BARE, BARE, None, False),
        ([user("go"), assistant(sealed("a"), used("a")), BARE[2]], BARE, ADAPTIVE, False),
        ([*FIRST[:2], user("and?")], [*FIRST[:2], user(answered("a"), said("and?"))], ENABLED, False),
        ([user("go")], [user("go")], ENABLED, False),
        ([*OLDER, *FIRST], [user("hi"), assistant("so"), *FIRST], ENABLED, False),
        (BEGUN, BEGUN, ENABLED, True),
        (BEGUN, BEGUN, ADAPTIVE, False),
        ([*BARE, assistant("so")], [*BARE, assistant("so")], ENABLED, True),
        ([*FIRST, assistant("so")], [*FIRST, assistant("so")], ENABLED, False),
    ],
)
def test_thinking_of_the_open_turn_stays_as_it_was(
    before: list[Item], after: list[Item], thinking: Any, loses: bool
) -> None:
    """Claude judges the turn that it still answers: what it signed must be there, in order, before the same calls."""
    assert loses_thinking(before, after, thinking) is loses


def test_all_thinking_goes_and_is_named() -> None:
    """Thinking of earlier turns goes too. A message of thinking alone goes whole."""
    items = [
        user("go"),
        assistant(thought()),
        user("x"),
        assistant(thought(), used("a")),
        user(answered("a")),
    ]

    done = drop_thinking(ChangedMessages(items))

    assert done.items == [user("go"), user("x"), assistant(used("a")), user(answered("a"))]
    assert done.origins == (0, 2, 3, 4)
    assert [(change.index, change.reason) for change in done.changes] == [
        (1, "thinking_dropped"),
        (3, "thinking_dropped"),
    ]
    assert done.drops_thinking
    assert not drop_thinking(ChangedMessages(CLOSED)).drops_thinking


def test_no_thinking_is_asked_for_where_the_model_goes_on_with_an_answer() -> None:
    """Such an answer would have to begin with thinking."""
    assert drop_thinking(ChangedMessages(BEGUN)).drops_thinking
    assert not drop_thinking(ChangedMessages(CLOSED)).drops_thinking
