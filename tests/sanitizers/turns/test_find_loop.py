"""Tests how loops are found: the same calls with the same results, in cycles of one to three rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.turns.find_loop import Loop, find_loop
from sanitizers.turns.rounds import read_rounds
from tests.sanitizers.turns.histories import ENFORCE, WARN, History, guard, loop_of, one_round, rounds_of
from tests.support.builders import assistant, call, legacy_call, legacy_result, tool, user


def loop_at_end(history: History, repeats: int = 5) -> Loop | None:
    """Return the loop at the end of a turn's rounds."""
    rounds = read_rounds(history, 0, len(history))
    return find_loop(rounds, len(rounds) - 1, repeats)


def looped(letters: str, repeats: int) -> tuple[int, bool, bool] | None:
    """Find a loop of letters by a simple search.

    Return the loop's period, whether the loop is new, and whether the loop goes on.
    """
    for period in (1, 2, 3):
        cycle = letters[-period:]
        if len(cycle) == period and letters.endswith(cycle * repeats):
            before = letters[:-1]
            is_new = not before.endswith(before[-period:] * repeats)
            return period, is_new, letters.endswith(cycle * (repeats + 1))
    return None


@given(st.text("ab", max_size=24) | st.text("abc", max_size=24), st.integers(2, 5), st.integers(1, 6))
def test_loops_are_those_of_a_simple_search(letters: str, repeats: int, times: int) -> None:
    """``find_loop`` finds the same loops as a simple search, even where a sequence repeats its end."""
    letters += letters[-3:] * times
    rounds = read_rounds(history := rounds_of(letters), 0, len(history))
    for at in range(len(rounds)):
        found = find_loop(rounds, at, repeats)
        wanted = looped(letters[: at + 1], repeats)
        assert (found and (found.period, found.is_new, found.goes_on)) == wanted
        assert found is None or repeats <= found.times <= repeats + 1


@pytest.mark.parametrize(
    ("letters", "period"),
    [
        ("aaaa", 0),
        ("aaaaa", 1),
        ("baaaaa", 1),
        ("aaaaab", 0),
        ("aabaaa", 0),
        ("ababababa", 0),
        ("ababababab", 2),
        ("xbababababa", 2),
        ("abcabcabcabcab", 0),
        ("abcabcabcabcabc", 3),
        ("aabaabaabaabaab", 3),
        ("abcdabcdabcdabcdabcd", 0),
    ],
)
def test_cycles_of_one_to_three_rounds_are_loops(letters: str, period: int) -> None:
    """Cycles of one to three rounds are loops. Another call within a cycle ends the loop."""
    assert guard([user("go"), *rounds_of(letters)]).turn.loop_period == period


@pytest.mark.parametrize(
    "spellings",
    [
        ['{"a": 1, "b": [1, 2]}', '{"b":[1,2],"a":1}', '{ "b" : [ 1, 2 ],\n"a" : 1 }'],
        ['{"a": {"x": 1, "y": 2}}', '{"a": {"y": 2, "x": 1}}'],
        ['{"a": "\\u00e9"}', '{"a": "é"}'],
        ['{"a": 1}', {"a": 1}],
        [None, None],
        ["no JSON {", "no JSON {"],
        ["", ""],
    ],
)
def test_equal_arguments_in_other_spellings_are_the_same_call(spellings: list[Any]) -> None:
    """Equal arguments are the same call, whatever their order of keys, white space and escapes."""
    history = (
        [m for at in range(5) for m in one_round(at, "f", spellings[at % len(spellings)], "the same")]
        if spellings[0] is not None
        else [
            m
            for at in range(5)
            for m in (assistant(None, [call(f"c{at}", "f", None)]), tool(f"c{at}", "the same"))
        ]
    )

    assert loop_at_end(history) == Loop(1, 5, True, False)


@pytest.mark.parametrize(
    "spellings",
    [
        ['{"a": 1}', '{"a": 2}', '{"a": 3}', '{"a": 4}', '{"a": 5}'],
        ['{"a": [1, 2]}', '{"a": [2, 1]}', '{"a": 1.5}', '{"a": "1"}', '{"a": true}'],
        ["", "{}", "no JSON {", "no JSON { ", "null"],
    ],
)
def test_other_arguments_are_another_call(spellings: list[str]) -> None:
    """Other arguments are another call. The order of a list counts."""
    history = [m for at, written in enumerate(spellings) for m in one_round(at, "f", written, "the same")]
    for at in range(5):
        history += one_round(10 + at, "f", spellings[at], "the same")

    assert loop_at_end(history, 2) is None


def test_another_tool_is_another_call() -> None:
    """Another tool is another call, even with the same arguments and results."""
    history = [m for at, name in enumerate("fghif") for m in one_round(at, name, "{}", "ok")]

    assert loop_at_end(history, 2) is None


def test_parallel_calls_in_another_order_are_the_same_round() -> None:
    """Parallel calls in another order make the same round, in one message or in several."""
    history: History = []
    for at in range(5):
        calls = [call(f"a{at}", "f", '{"q": 1}'), call(f"b{at}", "g")]
        results = [tool(f"a{at}", "1"), tool(f"b{at}", "2")]
        if at % 2:
            calls, results = calls[::-1], results[::-1]
        asked = [assistant(None, calls)] if at < 3 else [assistant(None, [one]) for one in calls]
        history += [*asked, *results]

    assert loop_at_end(history) == Loop(1, 5, True, False)
    [*first, _] = history
    assert loop_at_end([*first, tool("a4", "3")]) is None


def test_polling_is_no_loop() -> None:
    """Polling is no loop, since the same call gets another result each time."""
    history = [m for at in range(30) for m in one_round(at, "status", "{}", f"{at} of 30 done")]

    assert loop_at_end(history, 2) is None


def test_text_beside_a_call_does_not_make_another_call() -> None:
    """Text beside a call does not make another call, since models write another text each time."""
    history = rounds_of("aaaaa")
    for at, message in enumerate(history):
        if message["role"] == "assistant":
            message["content"] = f"Attempt {at}"
    apart = [
        one
        for m in history
        for one in ([assistant("Well, " + m["content"]), m] if "tool_calls" in m else [m])
    ]

    assert loop_at_end(history) == Loop(1, 5, True, False)
    assert loop_at_end(apart) == Loop(1, 5, True, False)


def test_legacy_calls_and_calls_in_texts_make_loops() -> None:
    """Legacy calls and calls written as text make loops. A call that cannot be read counts as its text."""
    forms: list[History] = [
        [legacy_call("f", '{"a": 1}'), legacy_result("f", "ok")],
        [assistant("<function=ls>\n</function>"), user("EXECUTION RESULT of [ls]:\nok")],
    ]
    for form in forms:
        assert loop_at_end(form * 5) == Loop(1, 5, True, False)
        assert loop_at_end(form * 4) is None
    other = [assistant("<function=pwd>\n</function>"), forms[1][1]]
    assert loop_at_end([*(forms[1] * 4), *other]) is None


@pytest.mark.parametrize("cycle", ["a", "ab", "abc"])
def test_a_loop_is_reported_then_noted_then_ended(cycle: str) -> None:
    """A loop is reported in both modes. Mode `enforce` ends the turn a full cycle later."""
    at, later = 5 * len(cycle), 6 * len(cycle)
    policy = replace(ENFORCE, max_rounds=0)
    for count in range(1, later + 2):
        warned, enforced = guard(loop_of(count, cycle)).turn, guard(loop_of(count, cycle), policy).turn

        assert warned.loop_period == (len(cycle) if count >= at else 0)
        assert ("loop" in warned.events) == (count == at)
        assert warned.wrap_up == ""
        assert enforced.wrap_up == ("loop" if count >= later else "")


def test_loops_are_not_searched_with_zero_repeats_or_across_turns() -> None:
    """Loops are not searched with ``max_repeats: 0``, and a new user message ends a loop."""
    assert guard(loop_of(20), replace(WARN, max_repeats=0)).turn.loop_period == 0
    assert guard(loop_of(20), replace(ENFORCE, max_repeats=0, max_rounds=0)).turn.wrap_up == ""
    assert guard([*loop_of(4), *loop_of(4)]).turn.loop_period == 0
    assert guard(loop_of(2), replace(WARN, max_repeats=2)).turn.loop_period == 1
