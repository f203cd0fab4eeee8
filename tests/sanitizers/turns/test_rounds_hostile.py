"""The cost of hostile histories, texts and calls is linear."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sanitizers.turns import TurnPolicy
from tests.sanitizers.turns.histories import ENFORCE, WARN, History, guard, one_round, rounds_of, turn_of
from tests.support.builders import assistant, call, text, tool, user
from tests.support.cpu_time import cpu_seconds

EVERYTHING = replace(ENFORCE, hint_after_errors=3, tell_model=True)
COUNT = 5_000
CALLS = assistant(None, [call(f"c{number}", f"f{number}") for number in range(COUNT)])


def repeated(count: int, result: str) -> History:
    """Return a history of *count* rounds that all have this result."""
    return [user("go"), *(m for number in range(count) for m in one_round(number, result=result))]


HISTORIES: dict[str, History] = {
    "rounds alike": [user("go"), *rounds_of("a" * COUNT)],
    "rounds that differ": turn_of(COUNT),
    "rounds in another spelling": [
        user("go"),
        *(m for at in range(COUNT) for m in one_round(at, "f", '{"a":1' + " " * (at % 7) + "}", "r")),
    ],
    "turns": turn_of(1) * COUNT,
    "texts": [user("go"), *[assistant("x" * 1_000)] * COUNT, tool("a")],
    "texts in parts": [user("go"), assistant([text("x" * 1_000)] * COUNT), user("Observation:\nx")],
    "parallel calls": [user("go"), CALLS, *(tool(f"c{number}", "Error: no") for number in range(COUNT))],
    "results without ids": [user("go"), CALLS, *[{"role": "tool", "content": "Error: no"}] * COUNT],
    "results alone": [user("go"), assistant("hm"), *[tool("a", "Error: no")] * COUNT],
    "carried results": [user("go"), assistant("hm"), *[user("Observation:\nError: no")] * COUNT],
    "huge arguments": [
        user("go"),
        *(
            m
            for at in range(6)
            for m in one_round(at, "f", '{"a":' + " " * at + '"' + "x" * 3_000_000 + '"}', "r")
        ),
    ],
    "white space": repeated(200, " " * 65_000 + "x"),
    "an observation of white space": repeated(200, "Observation:\n" + " " * 65_000 + "x"),
    "an error without a colon": repeated(200, "error" + " " * 65_000 + "x"),
    "a tool with a long name": repeated(200, "tool " + "y" * 65_000),
    "a name of errors": repeated(200, "Error" * 13_000),
    "braces": repeated(200, '{"a":' * 10_000 + "}" * 10_000),
    "notices": repeated(200, "\n\n[turnright: " * 4_000),
    "call ids": [user("go"), *[assistant("hm"), user("Error:\n" + "Call id: \n" * 6_000)] * 200],
    "new tasks": [user("go"), *[assistant("hm"), user("Observation:\n" + "\nNew task:" * 6_000)] * 200],
    "media of results": [user("go"), *[assistant("hm"), user([text("[A" + "a" * 65_000)])] * 200],
    **{
        f"calls in text, {written[:8]!r}": [
            user("go"),
            *[assistant("Calling tools:\n" + written), user("Observation:\nx")] * 200,
        ]
        for written in (
            "[" + "1," * 32_000 + "]",
            "[" * 64_000,
            "-" * 64_000 + "1",
            "1" + "+1" * 32_000,
            "a" + "()" * 32_000,
            "{'id': '" * 8_000,
            "[{'id': 'a', 'type': 'function', 'function': {'name': 'f', 'arguments': " + "9" * 60_000 + "}}]",
            "[{'function': {'name': 'f', 'arguments': {'a': 0x" + "f" * 60_000 + "}}}]",
            "Calling tools:\n" * 4_000,
        )
    },
}


@pytest.mark.long
@pytest.mark.parametrize("policy", [WARN, EVERYTHING], ids=["warn", "everything"])
@pytest.mark.parametrize("history", HISTORIES.values(), ids=list(HISTORIES))
def test_cost_of_hostile_input_is_linear(history: History, policy: TurnPolicy) -> None:
    """The turn guard takes less than 4 s of CPU time for hostile input.

    On a quiet machine the guard takes 0.2 s. At quadratic cost, it would take ten seconds.
    """
    assert cpu_seconds(lambda: guard(history, policy, None, "f", "task"), bound=4) < 4


@pytest.mark.parametrize("alone", ["\ud800", "a\udfff", "\x00"])
def test_lone_surrogates_are_read_everywhere(alone: str) -> None:
    """Lone surrogates in texts, ids, names and arguments are read without an error."""
    history: History = [user("go")]
    for number in range(6):
        history += [
            assistant(alone, [call(alone, alone, alone)]),
            tool(alone, {"error": alone} if number % 2 else f"Error: {alone}"),
        ]
    guarded: Any = guard(history, EVERYTHING, 3, alone)

    assert guarded.turn.rounds == 6
    assert guarded.turn.wrap_up == "limit"
