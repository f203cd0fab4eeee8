"""Tests of the end of a turn: the last instruction, and the gate that limits the answer's calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sanitizers.turns import CallGate, guard_turn
from sanitizers.turns.notices import (
    last_words,
    wrap_up_at_limit,
    wrap_up_of_delegation,
    wrap_up_of_loop,
)
from tests.sanitizers.turns.histories import (
    ENFORCE,
    TOLD,
    WARN,
    History,
    guard,
    loop_of,
    smolagents_round,
    turn_of,
)
from tests.support.builders import assistant, call, text, tool, user


def said_last(history: History, instruction: str, **more: Any) -> History:
    """Return the messages sent at a limit of one round, after a check of the gate and the changes."""
    guarded = guard(history, replace(ENFORCE, max_rounds=1), None, "f", **more)
    assert guarded.gate == CallGate(closed=True, words=last_words(instruction))
    assert [(change.index, change.reason) for change in guarded.changes] == [
        (len(history) - 1, "wrap_up"),
        (0, "tools_withheld"),
    ]
    return list(guarded.messages)


def test_the_instruction_to_finish_ends_the_history() -> None:
    """The instruction is a user message.

    With *in_result*, the instruction is a part of the result at the history's end, if there is one.
    """
    words = wrap_up_at_limit(1)
    for history in (
        turn_of(1),
        turn_of(3),
        [user("go"), *smolagents_round(1)],
        [*turn_of(1), assistant("Well,")],
        [user("go"), assistant(None, [call("a")])],
    ):
        assert said_last(history, words) == [*history, user(words)]
    within = said_last(turn_of(1), words, in_result=True)
    assert within == [*turn_of(1)[:-1], tool("c0", f"r0\n\n{words}")]
    parts = [*turn_of(1)[:-1], tool("c0", [text("r0")])]
    assert said_last(parts, words, in_result=True)[-1] == tool("c0", [text("r0"), text(words)])
    carried = said_last([user("go"), *smolagents_round(1)], words, in_result=True)
    assert carried[-1] == user(f"Observation:\nr1\n\n{words}")
    spoken = [*turn_of(1), assistant("Well,")]
    assert said_last(spoken, words, in_result=True) == [*spoken, user(words)]


def test_the_instruction_to_finish_opens_no_turn() -> None:
    """If a second turnright reads the instruction, it counts the same rounds and again ends the turn."""
    policy = replace(ENFORCE, max_rounds=1)
    for in_result in (False, True):
        once = guard(turn_of(2), policy, None, "f", in_result=in_result)
        again = guard_turn(once.messages, once.parameters, policy)

        assert (again.turn.rounds, again.turn.wrap_up) == (2, "limit")


def test_the_limit_decides_before_a_loop_and_a_loop_before_delegation() -> None:
    """The instruction states only the first reason that applies."""
    assert guard(loop_of(6), ENFORCE).messages[-1] == user(wrap_up_of_loop())
    assert guard(loop_of(25), ENFORCE).messages[-1] == user(wrap_up_at_limit(25))
    assert guard(turn_of(10, "task"), ENFORCE, None, "task").messages[-1] == user(wrap_up_of_delegation(10))
    looped = [user("go"), *(m for m in loop_of(10)[1:])]
    for message in looped:
        if message["role"] == "assistant":
            message["tool_calls"][0]["function"]["name"] = "task"
    assert guard(looped, ENFORCE, None, "task").messages[-1] == user(wrap_up_of_loop())


@pytest.mark.parametrize(
    ("policy", "gate"),
    [
        (WARN, None),
        (TOLD, None),
        (ENFORCE, CallGate(10)),
        (replace(ENFORCE, max_calls_per_turn=3), CallGate(3)),
        (replace(ENFORCE, max_calls_per_turn=0), None),
    ],
)
def test_below_the_limits_the_gate_only_limits_calls_per_turn(policy: Any, gate: CallGate | None) -> None:
    """There is no gate in mode `warn`."""
    assert guard(turn_of(3), policy, None, "f").gate == gate
