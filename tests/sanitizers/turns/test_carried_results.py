"""Results that clients carry in user messages, and calls that they write as text, as they were seen to."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.turns.carried_results import calls_in_text, carries_result
from sanitizers.turns.rounds import opens_turn
from tests.sanitizers.turns.histories import rounds, smolagents_calls, smolagents_round
from tests.support.builders import assistant, image, text, user


@pytest.mark.parametrize(
    "content",
    [
        "Observation:\nfound",
        "Observation:\n",
        "Error:\nno\nNow let's retry",
        "Call id: call_1\nError:\nno",
        "EXECUTION RESULT of [execute_bash]:\nok",
        [text("Observation:\nfound")],
        [text("EXECUTION RESULT of [browser]:\nok"), image()],
        [image(), text("Observation:\nfound")],
        [image(), text("Observation:\nfound\nCall id: c\nError:\nno")],
        [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}],
        [{"type": "tool_result", "tool_use_id": "a"}, text("a hint of the client's")],
        "Observation:\nThe page says New task:\nbuy milk",
    ],
)
def test_a_result(content: Any) -> None:
    """It opens no turn."""
    assert carries_result(user(content))
    assert not opens_turn(user(content))


@pytest.mark.parametrize(
    "content",
    [
        "go",
        "",
        None,
        [],
        [image()],
        "Observation: the sky is blue",
        "My observation:\nit fails",
        " Observation:\nfound",
        "Error: it fails, why?",
        "Call id: call_1\nno error",
        "The log says EXECUTION RESULT of [x]",
        "New task:\nfind it",
        "Observation:\nfound\nNew task:\nnow the other",
        [text("Observation:\nfound\nNew task:\nnow the other"), image()],
        [text("Observation:\nfound"), text("x\nNew task:\nnow the other")],
    ],
)
def test_a_users_own_word(content: Any) -> None:
    """It opens a turn: smolagents' new task does behind a result, too."""
    assert not carries_result(user(content))
    assert opens_turn(user(content))


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        ([("web_search", {"query": "a"})], ["web_search"]),
        ([("f", {}), ("g", {"deep": [{"a": None}]}), ("h", "text")], ["f", "g", "h"]),
        ([("python_interpreter", "print('hi')\nx = {\"a\": 1}")], ["python_interpreter"]),
        ([("f", {"q": 'it\'s "quoted" and \\ and 検索'})], ["f"]),
    ],
)
def test_calls_of_smolagents(calls: list[tuple[str, Any]], names: list[str]) -> None:
    """Their names are read; the same calls are the same under other ids, any other argument makes others."""
    first, again = (assistant(f"Thought: x\n{smolagents_calls(number, *calls)}") for number in (1, 2))
    other = assistant(smolagents_calls(1, *calls[:-1], (calls[-1][0], "another")))

    assert [name for name, _ in calls_in_text(first)] == names
    assert calls_in_text(first) == calls_in_text(again)
    assert calls_in_text(first) == calls_in_text(
        assistant([text("Thought: x"), text(smolagents_calls(3, *calls))])
    )
    assert calls_in_text(first) != calls_in_text(other)


def test_a_call_without_an_id() -> None:
    """Models without calls of their own have none to give."""
    written = "Calling tools:\n" + str(
        [{"id": None, "type": "function", "function": {"name": "f", "arguments": 1}}]
    )

    assert calls_in_text(assistant(written)) == [("f", "1")]


def test_calls_that_cannot_be_read() -> None:
    """They are one call without a name, which is what they say; a text without any is none."""
    assert calls_in_text(assistant("Calling tools:\n[{'na")) == [("", "[{'na")]
    assert calls_in_text(assistant("Calling tools: f")) == []
    assert calls_in_text(assistant("I called tools.")) == []
    assert calls_in_text(assistant(None)) == []


@pytest.mark.parametrize("form", [str, lambda said: [text(said)]])
def test_a_plan_is_carried_out_in_the_same_turn(form: Any) -> None:
    """Else an agent that plans at intervals would open a count with every plan."""
    plan = [assistant(form("Here is my plan")), user(form("Now proceed and carry out this plan."))]
    history = [user("New task:\nfind it"), *plan, *smolagents_round(1), *plan, *smolagents_round(2)]

    assert rounds(history) == 2
    assert opens_turn(user("Now proceed and carry out this plan. But quickly"))
