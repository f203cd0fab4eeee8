"""The end of a turn: what is said last, what is withheld, and what the answer goes through."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.turns import CallGate, guard_turn
from sanitizers.turns.notices import (
    delegation_guidance,
    delegation_refused,
    last_words,
    wrap_up_at_limit,
    wrap_up_of_delegation,
    wrap_up_of_loop,
)
from tests.sanitizers.turns.histories import (
    ENFORCE,
    WARN,
    History,
    declare,
    guard,
    loop_of,
    smolagents_round,
    turn_of,
)
from tests.support.builders import assistant, call, text, tool, user

TOLD = replace(WARN, tell_model=True)
FUNCTIONS = {"functions": [{"name": "task"}, {"name": "f"}]}


def said_last(history: History, instruction: str, **more: Any) -> History:
    """Return what is sent at the limit of one round, checked for what comes with it."""
    guarded = guard(history, replace(ENFORCE, max_rounds=1), None, "f", **more)
    assert guarded.gate == CallGate(closed=True, words=last_words(instruction))
    assert [(change.index, change.reason) for change in guarded.changes] == [
        (len(history) - 1, "wrap_up"),
        (0, "tools_withheld"),
    ]
    return list(guarded.messages)


def test_the_instruction_is_the_end() -> None:
    """A user message, or a part of the result where nobody makes the history legal afterwards."""
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
    carried = said_last([user("go"), *smolagents_round(1)], words, in_result=True)
    assert carried[-1] == user(f"Observation:\nr1\n\n{words}")
    spoken = [*turn_of(1), assistant("Well,")]
    assert said_last(spoken, words, in_result=True) == [*spoken, user(words)]


def test_the_instruction_opens_no_count() -> None:
    """Sent back by a client, or read by a second turnright."""
    policy = replace(ENFORCE, max_rounds=1)
    for in_result in (False, True):
        once = guard(turn_of(2), policy, None, "f", in_result=in_result)
        again = guard_turn(once.messages, once.parameters, policy)

        assert (again.turn.rounds, again.turn.wrap_up) == (2, "limit")


def test_which_end_it_is() -> None:
    """The limit goes before a loop, a loop before delegation."""
    assert guard(loop_of(6), ENFORCE).messages[-1] == user(wrap_up_of_loop())
    assert guard(loop_of(25), ENFORCE).messages[-1] == user(wrap_up_at_limit(25))
    assert guard(turn_of(10, "task"), ENFORCE, None, "task").messages[-1] == user(wrap_up_of_delegation(10))
    looped = [user("go"), *(m for m in loop_of(10)[1:])]
    for message in looped:
        if message["role"] == "assistant":
            message["tool_calls"][0]["function"]["name"] = "task"
    assert guard(looped, ENFORCE, None, "task").messages[-1] == user(wrap_up_of_loop())


@pytest.mark.parametrize(
    ("parameters", "sent"),
    [
        ({}, {}),
        ({"tools": []}, {"tools": []}),
        (declare("f"), {**declare("f"), "tool_choice": "none"}),
        ({**declare("f"), "tool_choice": "required"}, {**declare("f"), "tool_choice": "none"}),
        (FUNCTIONS, {**FUNCTIONS, "function_call": "none"}),
        (
            {**FUNCTIONS, **declare("f"), "n": 2},
            {**FUNCTIONS, **declare("f"), "n": 2, "tool_choice": "none", "function_call": "none"},
        ),
    ],
)
def test_calls_are_forbidden_and_declarations_stay(parameters: dict[str, Any], sent: dict[str, Any]) -> None:
    """They are part of the cached prefix, and of what a history with calls needs."""
    before = copy.deepcopy(parameters)
    guarded = guard_turn(turn_of(50), parameters, ENFORCE)

    assert guarded.parameters == sent
    assert (guarded.parameters is parameters) == (sent == before)
    assert parameters == before
    assert ("tools_withheld" in [change.reason for change in guarded.changes]) == (sent != before)


NAMED = {"tool_choice": {"type": "function", "function": {"name": "task"}}}


@pytest.mark.parametrize(
    ("parameters", "sent"),
    [
        (declare("task", "f", "handoff_a"), declare("f")),
        ({**declare("task", "f"), **NAMED}, declare("f")),
        ({**declare("task", "f"), "tool_choice": "auto"}, {**declare("f"), "tool_choice": "auto"}),
        (FUNCTIONS, {"functions": [{"name": "f"}]}),
        ({**FUNCTIONS, "function_call": {"name": "task"}}, {"functions": [{"name": "f"}]}),
        (
            {**FUNCTIONS, "function_call": {"name": "f"}},
            {"functions": [{"name": "f"}], "function_call": {"name": "f"}},
        ),
        ({**declare("f"), "functions": [{"name": "task"}]}, declare("f")),
        (
            {**declare("f"), "functions": [{"name": "task"}], "function_call": "auto"},
            declare("f"),
        ),
    ],
)
def test_tools_that_hand_on_are_left_out(parameters: dict[str, Any], sent: dict[str, Any]) -> None:
    """At the limit of delegation, and with them what speaks of them; the others may still be called."""
    before = copy.deepcopy(parameters)
    guarded = guard_turn(turn_of(10, "task"), parameters, ENFORCE)

    assert guarded.parameters == sent
    assert guarded.turn.wrap_up == ""
    assert [change.reason for change in guarded.changes] == ["delegation_note", "delegation_withheld"]
    assert guarded.gate == CallGate(10, refused=ENFORCE, words=delegation_refused(10))
    assert parameters == before
    assert guard_turn(turn_of(9, "task"), parameters, ENFORCE).parameters is parameters
    assert guard_turn(turn_of(10, "task"), parameters, WARN).parameters is parameters


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
def test_the_gate_below_the_limits(policy: Any, gate: CallGate | None) -> None:
    """In mode `enforce` alone, and only where there is something to hold."""
    assert guard(turn_of(3), policy, None, "f").gate == gate


def described(*descriptions: Any) -> dict[str, Any]:
    """Declare tools that hand on, with these descriptions."""
    parameters = declare("f", *(f"handoff_{at}" for at in range(len(descriptions))))
    for entry, description in zip(parameters["tools"][1:], descriptions, strict=True):
        if description is not None:
            entry["function"]["description"] = description
    return parameters


def test_guidance_stands_in_one_description() -> None:
    """Of the first tool that hands on, once; the same in every request, so that the cached prefix stays."""
    words = delegation_guidance(10)
    for description, told in ((None, words), ("", words), ("Hand on.", f"Hand on.\n\n{words}")):
        parameters = described(description, "Also.")
        before = copy.deepcopy(parameters)
        guarded = guard_turn([user("go")], parameters, TOLD)

        assert guarded.parameters == described(told, "Also.")
        assert [(change.reason, change.index) for change in guarded.changes] == [("delegation_guidance", 1)]
        assert guarded.messages[0] == user("go")
        assert parameters == before
        again = guard_turn([user("go")], guarded.parameters, TOLD)
        assert again.parameters is guarded.parameters
        assert again.changes == ()
        for count in (1, 9, 19):
            assert guard_turn(turn_of(count, "task"), parameters, TOLD).parameters == guarded.parameters


def test_guidance_in_the_form_before_tools() -> None:
    """Its declarations have descriptions, too."""
    guarded = guard_turn([user("go")], FUNCTIONS, TOLD)

    assert guarded.parameters == {
        "functions": [{"name": "task", "description": delegation_guidance(10)}, {"name": "f"}]
    }


@pytest.mark.parametrize(
    ("parameters", "policy"),
    [
        (described("x"), WARN),
        (described("x"), ENFORCE),
        (described("x"), replace(TOLD, max_delegation_rounds=0)),
        (declare("f"), TOLD),
        ({}, TOLD),
        (described(7), TOLD),
        (described(["x"]), TOLD),
    ],
)
def test_no_guidance(parameters: dict[str, Any], policy: Any) -> None:
    """Unasked, without delegation, or where a description is none."""
    assert guard_turn([user("go")], parameters, policy).parameters is parameters


@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from([WARN, TOLD, ENFORCE]), st.booleans())
def test_a_turn_told_is_the_turn_explained(work: int, handed_on: int, policy: Any, multi: bool) -> None:
    """What is JSON-ready says the same; no limit and nothing found are null."""
    turn = guard(
        [*turn_of(work), *turn_of(handed_on, "task")[1:]], policy, None, *(["task"] if multi else [])
    ).turn

    assert turn.as_dict() == {
        "mode": policy.mode,
        "rounds": work,
        "limit": 50 if multi or handed_on else 25,
        "delegation_rounds": handed_on,
        "delegation_limit": 10,
        "warns": False,
        "loop_period": None,
        "wrap_up": turn.wrap_up or None,
        "events": list(turn.events),
    }


def test_a_result_in_parts_takes_the_instruction_as_a_part() -> None:
    """So that what the tool gave stays what it was."""
    history = [*turn_of(1)[:-1], tool("c0", [text("r0")])]

    assert said_last(history, wrap_up_at_limit(1), in_result=True)[-1] == tool(
        "c0", [text("r0"), text(wrap_up_at_limit(1))]
    )
