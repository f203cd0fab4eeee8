"""Tests that the guard changes nothing in mode `warn`, and nothing below the limits in mode `enforce`."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.outline import outline_of
from sanitizers.turns import TurnPolicy, guard_turn, guard_without_rounds
from tests.sanitizers.turns.histories import ENFORCE, WARN, declare, guard, loop_of, turn_of
from tests.support.builders import assistant, system, tool, user
from tests.support.strategies import any_histories, damaged_histories, legal_histories, media_histories
from tests.support.strategies.sessions import sessions

EVERYTHING = TurnPolicy("enforce", 1, 1, max_delegation_rounds=1, hint_after_errors=1, tell_model=True)
policies = st.builds(
    TurnPolicy,
    st.just("warn"),
    st.integers(0, 30),
    st.integers(0, 30),
    st.sampled_from([0.1, 0.8, 1.0]),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from([0, 2, 5]),
    delegation_tools=st.sampled_from([(), ("*",), ("f", "read*"), WARN.delegation_tools]),
)
parameters = st.sampled_from(
    [{}, {"tools": None}, declare("f", "task"), {"functions": [{"name": "task"}], "n": 1}, declare("task")]
)
histories = st.one_of(
    legal_histories(allow_trailing_assistant=True, whitespace=True, id_style="mixed"),
    damaged_histories(),
    any_histories(),
    media_histories(),
    sessions(max_rounds=12),
    st.integers(0, 40).map(turn_of),
    st.integers(0, 40).map(loop_of),
    st.just([]),
)


@given(histories, parameters, policies, st.none() | st.integers(1, 30), st.booleans())
def test_mode_warn_returns_the_same_objects(
    history: list[dict[str, Any]],
    given_parameters: dict[str, Any],
    policy: TurnPolicy,
    asked: int | None,
    within: bool,
) -> None:
    """The history may be legal, damaged or random."""
    before = copy.deepcopy((history, given_parameters))
    lowered = policy if asked is None else policy.lowered(asked)
    guarded = guard_turn(history, given_parameters, lowered, in_result=within)

    assert guarded.messages is history
    assert guarded.parameters is given_parameters
    assert guarded.changes == ()
    assert guarded.gate is None
    assert guarded.turn.wrap_up == ""
    assert (history, given_parameters) == before


@given(
    histories
    | st.lists(st.sampled_from([user("go"), system("s"), tool("c1", "r"), assistant("a")]), max_size=3),
    parameters,
    policies | st.sampled_from([ENFORCE, TurnPolicy("enforce", 1, 1, tell_model=True)]),
)
def test_a_history_without_rounds_comes_to_the_same_by_its_outline(
    history: list[dict[str, Any]], given_parameters: dict[str, Any], policy: TurnPolicy
) -> None:
    """The outline suffices where no message is unusual or from the assistant, and the policy changes nothing."""
    outline = outline_of(history)
    known = guard_without_rounds(outline, given_parameters, policy)

    assert known is None or known == guard_turn(history, given_parameters, policy)
    assert (known is None) == bool(outline.turns or outline.odd or not policy.changes_nothing)


@pytest.mark.parametrize(("count", "policy"), [(20, WARN), (20, ENFORCE), (80, WARN)])
def test_a_session_below_the_limits_is_never_changed(count: int, policy: TurnPolicy) -> None:
    """Mode `warn` changes no session above the limits either."""
    history = turn_of(count)
    for end in range(1, len(history) + 1, 2):
        request = history[:end]
        guarded = guard(request, policy, None, "f")

        assert guarded.messages is request
        assert guarded.changes == ()
        assert guarded.turn.rounds == (end - 1) // 2


@given(histories, parameters, st.sampled_from([ENFORCE, EVERYTHING]))
def test_mode_enforce_accepts_any_history(
    history: list[dict[str, Any]], given_parameters: dict[str, Any], policy: TurnPolicy
) -> None:
    """Each change is reported, no input is mutated, and the user's next message ends the turn."""
    before = copy.deepcopy((history, given_parameters))
    guarded = guard_turn(history, given_parameters, policy)

    assert (history, given_parameters) == before
    assert (guarded.messages is history and guarded.parameters is given_parameters) == (guarded.changes == ())
    assert all(change.step == "turns" for change in guarded.changes)
    assert guard_turn([*history, user("And now?")], given_parameters, policy).turn.wrap_up == ""
