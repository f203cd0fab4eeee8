"""Builders of agents' turns and tool rounds, in the form of each client."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sanitizers.turns import Guarded, TurnPolicy, guard_turn
from tests.support.builders import assistant, call, legacy_call, legacy_result, text, tool, user

History = list[dict[str, Any]]

WARN = TurnPolicy()
ENFORCE = TurnPolicy("enforce")
TOLD = replace(WARN, tell_model=True)


def declare(*names: str) -> dict[str, Any]:
    """Return the parameters of a request that declares tools of these names."""
    return {"tools": [{"type": "function", "function": {"name": name}} for name in names]}


def one_round(
    number: int, name: str = "f", arguments: str | None = None, result: str | None = None
) -> History:
    """Return a round of one call. Another number makes another call with another result."""
    written = f'{{"n": {number}}}' if arguments is None else arguments
    said = f"r{number}" if result is None else result
    return [assistant(None, [call(f"c{number}", name, written)]), tool(f"c{number}", said)]


def turn_of(count: int, name: str = "f") -> History:
    """Return a user message and *count* rounds that differ."""
    return [user("go"), *(message for number in range(count) for message in one_round(number, name))]


def loop_of(count: int, letters: str = "a") -> History:
    """Return a user message and *count* rounds that repeat *letters*."""
    return [user("go"), *rounds_of((letters * count)[:count])]


def rounds_of(letters: str) -> History:
    """Return a round for each letter. The same letter is the same call with the same result, under an id of its own."""
    messages: History = []
    for number, letter in enumerate(letters):
        messages.append(assistant(None, [call(f"c{number}", "f", f'{{"q": "{letter}"}}')]))
        messages.append(tool(f"c{number}", f"found {letter}"))
    return messages


def parallel_round(number: int) -> History:
    """Return two calls in one message, and their results."""
    return [
        assistant("both", [call(f"a{number}", "f"), call(f"b{number}", "g")]),
        tool(f"a{number}", f"a{number}"),
        tool(f"b{number}", f"b{number}"),
    ]


def split_round(number: int) -> History:
    """Return two parallel calls that a client split over two messages."""
    both, *results = parallel_round(number)
    first, second = both["tool_calls"]
    return [assistant("both", [first]), assistant(None, [second]), *results]


def legacy_round(number: int) -> History:
    """Return a round with a legacy call."""
    return [legacy_call("f", f'{{"n": {number}}}'), legacy_result("f", f"r{number}")]


def custom_round(number: int) -> History:
    """Return a round with a call of a custom tool, whose input is a text."""
    asked = {"id": f"c{number}", "type": "custom", "custom": {"name": "shell", "input": f"ls {number}"}}
    return [assistant(None, [asked]), tool(f"c{number}", f"r{number}")]


def smolagents_calls(number: int, *calls: tuple[str, Any]) -> str:
    """Return calls as smolagents 1.26 writes them (memory.py): as a Python list."""
    return "Calling tools:\n" + str(
        [
            {
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for at, (name, arguments) in enumerate(calls)
        ]
    )


def smolagents_round(number: int, name: str = "web_search", result: str | None = None) -> History:
    """Return a round of smolagents, flattened to texts."""
    said = f"Observation:\nr{number}" if result is None else result
    return [
        assistant("Thought\n" + smolagents_calls(number, (name, {"query": f"it's {number}"}))),
        user(said),
    ]


def smolagents_parts_round(number: int) -> History:
    """Return a round of smolagents in content parts, which smolagents sends by default."""
    said, result = smolagents_round(number)
    return [assistant([text(said["content"])]), user([text(result["content"])])]


RETRY = (
    "\nNow let's retry: take care not to repeat previous errors! If you have retried several times, try a "
)
"""The text of smolagents after an error (memory.py, 1.26), up to its own line break."""


def smolagents_error_round(number: int) -> History:
    """Return a round of smolagents whose call failed."""
    said, _ = smolagents_round(number)
    return [said, user(f"Call id: call_{number}_0\nError:\nno such page{RETRY}")]


def openhands_round(number: int) -> History:
    """Return a round of OpenHands with a model without native calls (fn_call_converter.py)."""
    asked = f"<function=execute_bash>\n<parameter=command>ls {number}</parameter>\n</function>"
    return [assistant(asked), user(f"EXECUTION RESULT of [execute_bash]:\nr{number}")]


ROUNDS = (
    one_round,
    parallel_round,
    split_round,
    legacy_round,
    custom_round,
    smolagents_round,
    smolagents_parts_round,
    smolagents_error_round,
    openhands_round,
)
"""The builders of all forms of a tool round within one turn."""


def guard(
    messages: History, policy: TurnPolicy = WARN, asked: int | None = None, *tools: str, **more: Any
) -> Guarded:
    """Return the guard's outcome for a request that declares *tools*. *asked* is the client's own limit."""
    if asked is not None:
        policy = policy.lowered(asked)
    return guard_turn(messages, declare(*tools) if tools else {}, policy, **more)


def rounds(messages: History, *tools: str) -> int:
    """Return the number of rounds that the guard counts in the turn."""
    return guard(messages, WARN, None, *tools).turn.rounds


def delegations(messages: History, policy: TurnPolicy = WARN) -> int:
    """Return the number of rounds that delegate."""
    return guard(messages, policy).turn.delegations
