"""Tests of placing system messages within a user's turn."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.changes import Change
from sanitizers.inline_systems import with_systems_last
from sanitizers.messages import Entry
from sanitizers.synthetic import reminder
from tests.support.builders import system, text, tool, user


def placed(*turn: dict[str, Any]) -> tuple[list[dict[str, Any]], list[tuple[str, int, str]]]:
    """Return the messages of *turn* with its system messages last, and the changes."""
    changes: list[Change] = []
    entries = with_systems_last([Entry(message, at) for at, message in enumerate(turn)], changes, "step")
    assert {change.step for change in changes} <= {"step"}
    made: list[tuple[str, int, str]] = [(change.kind, change.index, change.reason) for change in changes]
    return [entry.message for entry in entries], made


@pytest.mark.parametrize(
    "turn",
    [
        (),
        (user("a"),),
        (user("a"), system("s")),
        (tool("c"), system("s")),
        (tool("c"), user("a"), system("s")),
    ],
)
def test_turn_with_one_system_message_last_is_left_alone(turn: tuple[dict[str, Any], ...]) -> None:
    """That is where the model takes it."""
    assert placed(*turn) == ([*turn], [])


def test_system_message_is_moved_behind_the_user_s_turn() -> None:
    """Results stay before what the user says."""
    messages, changes = placed(tool("c"), system("s"), user("a"), user("b"))
    assert messages == [tool("c"), user("a"), user("b"), system("s")]
    assert changes == [("moved", 1, "system_misplaced")]


def test_several_become_one() -> None:
    """Two of them would not follow a user message directly."""
    messages, changes = placed(user("a"), system("s"), system([text("t")]))
    assert messages == [user("a"), system([text("s"), text("t")])]
    assert changes == [("merged", 2, "system_run")]


def test_system_messages_alone_become_the_user_s() -> None:
    """Between two turns of the model there is no user message to follow."""
    messages, changes = placed(system("s"), system("t"))
    assert messages == [user(f"{reminder('s')}\n\n{reminder('t')}")]
    assert changes == [("replaced", 0, "system_after_start"), ("replaced", 1, "system_after_start")]
