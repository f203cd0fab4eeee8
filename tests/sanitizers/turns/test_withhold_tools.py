"""Tests that tools are left out or forbidden at a limit, and that guidance on delegation is added once."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from sanitizers.turns import CallGate, guard_turn
from sanitizers.turns.notices import delegation_guidance, delegation_refused
from tests.sanitizers.turns.histories import ENFORCE, TOLD, WARN, declare, turn_of
from tests.support.builders import user

FUNCTIONS = {"functions": [{"name": "task"}, {"name": "f"}]}


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
    """Declarations stay, because the cached prefix contains them and a history with calls needs them."""
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
def test_tools_that_delegate_are_left_out_at_their_limit(
    parameters: dict[str, Any], sent: dict[str, Any]
) -> None:
    """A choice that names a delegating tool is left out too. Other tools stay."""
    before = copy.deepcopy(parameters)
    guarded = guard_turn(turn_of(10, "task"), parameters, ENFORCE)

    assert guarded.parameters == sent
    assert guarded.turn.wrap_up == ""
    assert [change.reason for change in guarded.changes] == ["delegation_note", "delegation_withheld"]
    assert guarded.gate == CallGate(10, refused=ENFORCE, words=delegation_refused(10))
    assert parameters == before
    assert guard_turn(turn_of(9, "task"), parameters, ENFORCE).parameters is parameters
    assert guard_turn(turn_of(10, "task"), parameters, WARN).parameters is parameters


def described(*descriptions: Any) -> dict[str, Any]:
    """Return parameters that declare delegating tools with these descriptions."""
    parameters = declare("f", *(f"handoff_{at}" for at in range(len(descriptions))))
    for entry, description in zip(parameters["tools"][1:], descriptions, strict=True):
        if description is not None:
            entry["function"]["description"] = description
    return parameters


def test_guidance_is_added_to_the_first_delegating_tool_once() -> None:
    """The guidance is the same in every request."""
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


def test_guidance_is_added_to_legacy_functions() -> None:
    """A legacy function that delegates gets the guidance in its description."""
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
def test_no_guidance_without_policy_delegation_or_a_text_description(
    parameters: dict[str, Any], policy: Any
) -> None:
    """The parameters stay the same object if no guidance is due."""
    assert guard_turn([user("go")], parameters, policy).parameters is parameters
