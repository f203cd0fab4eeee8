"""Tests that the history alone decides where notes are added, and that no note is added twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.turns import TurnPolicy
from sanitizers.turns.notices import (
    warning_note,
    with_notices,
)
from sanitizers.turns.place_notes import place_notes
from tests.sanitizers.turns.histories import (
    ENFORCE,
    TOLD,
    WARN,
    History,
    guard,
    loop_of,
    one_round,
    rounds_of,
    turn_of,
)
from tests.support.builders import assistant, call, image, legacy_call, legacy_result, text, tool, user
from tests.support.strategies import any_histories, damaged_histories, legal_histories


def notes(
    history: History, policy: TurnPolicy, asked: int | None = None, *tools: str
) -> list[tuple[int, str]]:
    """Return the message index and the reason of each added note.

    Messages without a note must stay the same objects.
    """
    lowered = policy if asked is None else policy.lowered(asked)
    noted, changes = place_notes(history, lowered, multi_agent="task" in tools)
    places = {change.index for change in changes}
    assert [at for at, message in enumerate(noted) if message is not history[at]] == sorted(places)
    return [(change.index, change.reason) for change in changes]


@pytest.mark.parametrize(
    ("history", "policy", "asked", "places"),
    [
        (turn_of(40), WARN, None, []),
        (turn_of(19), TOLD, None, []),
        (turn_of(40), TOLD, None, [(40, "warning_note")]),
        (turn_of(40), TOLD, 5, [(8, "warning_note")]),
        (turn_of(40), replace(TOLD, max_rounds=0), None, []),
        (turn_of(9), replace(TOLD, max_rounds=1), None, []),
        (turn_of(20) * 2, TOLD, None, [(40, "warning_note"), (81, "warning_note")]),
        ([*turn_of(19), *one_round(50, "task"), *turn_of(25)[1:]], TOLD, None, [(82, "warning_note")]),
        (loop_of(9), WARN, None, []),
        (loop_of(9), TOLD, None, []),
        (loop_of(9), ENFORCE, None, [(10, "loop_note")]),
        (loop_of(9, "ab"), ENFORCE, None, []),
        (loop_of(19, "ab"), ENFORCE, None, [(20, "loop_note")]),
        (loop_of(9), replace(ENFORCE, max_repeats=0), None, []),
        ([*loop_of(6), *rounds_of("b" * 6)], ENFORCE, None, [(10, "loop_note"), (22, "loop_note")]),
        (turn_of(12, "task"), ENFORCE, None, [(20, "delegation_note")]),
        (turn_of(12, "task"), TOLD, None, []),
        (turn_of(12, "task"), replace(ENFORCE, max_delegation_rounds=0), None, []),
        ([user("go"), *[legacy_call(), legacy_result()] * 6], ENFORCE, None, [(10, "loop_note")]),
        ([user("go"), *[assistant(None, [call("a")])] * 6], ENFORCE, None, []),
    ],
)
def test_notes_follow_the_last_result_of_the_round_that_made_them_due(
    history: History, policy: TurnPolicy, asked: int | None, places: list[tuple[int, str]]
) -> None:
    """A round without results gets no note."""
    assert notes(history, policy, asked) == places


def test_a_result_may_get_two_notes() -> None:
    """A result that is due for two notes gets both, and each note is reported as a change."""
    policy = replace(ENFORCE, max_rounds=6, tell_model=True)

    assert notes(loop_of(5), policy) == [(10, "warning_note"), (10, "loop_note")]


def test_a_note_that_is_already_there_is_no_change() -> None:
    """Only the loop note is a change, because the history already holds the warning note."""
    policy = replace(ENFORCE, max_rounds=6, tell_model=True)
    history = loop_of(5)
    history[10] = with_notices(history[10], [warning_note(5, 6)])

    assert notes(history, policy) == [(10, "loop_note")]


policies = st.builds(
    TurnPolicy,
    st.sampled_from(["warn", "enforce", "enforce"]),
    st.integers(0, 8),
    st.integers(0, 12),
    st.sampled_from([0.5, 0.8]),
    st.integers(0, 3),
    max_repeats=st.sampled_from([0, 2, 3]),
    hint_after_errors=st.integers(0, 2),
    tell_model=st.booleans(),
)
asks = st.none() | st.integers(1, 6)
RESULTS: tuple[Any, ...] = (
    "ok",
    "Error: no",
    [text("Error: no")],
    {"error": "no"},
    "",
    [text("ok"), image()],
)
pieces = st.tuples(
    st.integers(0, 9),  # the user's message, one time in ten
    st.sampled_from(["f", "f", "task"]),
    st.integers(0, 1),
    st.sampled_from(RESULTS),
    st.sampled_from(["tool", "function", "text"]),
)


def written(piece: tuple[int, str, int, Any, str], number: int) -> History:
    """Return the messages that are added between two requests."""
    turn, name, argument, result, form = piece
    if turn == 0:
        return [assistant("Here you are."), user("And now?")]
    arguments = f'{{"n": {argument}}}'
    if form == "function":
        return [legacy_call(name, arguments), legacy_result(name, result)]
    if form == "text":
        said = result if isinstance(result, str) else "Error:\nno"
        return [
            assistant(f"<function={name}>{argument}</function>"),
            user(f"EXECUTION RESULT of [{name}]:\n{said}"),
        ]
    calls = [call(f"c{number}", name, arguments), call(f"d{number}", "g")]
    return [assistant(None, calls), tool(f"c{number}", result), tool(f"d{number}", "fine")]


@given(st.lists(pieces, max_size=14), policies, asks, st.booleans())
def test_a_note_stays_in_its_place_in_all_later_requests(
    plan: list[Any], policy: TurnPolicy, asked: int | None, multi: bool
) -> None:
    """The messages of every request, notes included, begin with those of the request before."""
    history: History = [user("go")]
    lowered = policy if asked is None else policy.lowered(asked)
    before: list[Any] = []
    for number, piece in enumerate(plan):
        history = [*history, *written(piece, number)]
        noted, _ = place_notes(history, lowered, multi_agent=multi)
        assert list(noted[: len(before)]) == before
        before = list(noted)


any_history = st.one_of(
    legal_histories(allow_trailing_assistant=True),
    damaged_histories(),
    any_histories(),
    st.lists(pieces, max_size=14).map(
        lambda plan: [user("go"), *(m for number, piece in enumerate(plan) for m in written(piece, number))]
    ),
)


@given(any_history, policies, asks, st.booleans())
def test_a_note_is_given_once(history: History, policy: TurnPolicy, asked: int | None, multi: bool) -> None:
    """A second turnright with the same policy adds no note and reports the same turn."""
    lowered = policy if asked is None else policy.lowered(asked)
    noted, changes = place_notes(history, lowered, multi_agent=multi)
    again, more = place_notes(noted, lowered, multi_agent=multi)

    assert more == []
    assert again is noted
    assert (noted is history) == (changes == [])
    assert guard(list(noted), policy, asked).turn == guard(history, policy, asked).turn
