"""Tests that tool rounds after the last user message are counted, in the forms of real clients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget.markers import notice_message
from sanitizers.synthetic import CONTINUE, media_of_result
from sanitizers.turns.notices import wrap_up_at_limit
from tests.sanitizers.turns.histories import (
    ROUNDS,
    WARN,
    History,
    delegations,
    guard,
    one_round,
    parallel_round,
    rounds,
    smolagents_round,
    split_round,
    turn_of,
)
from tests.support.builders import (
    assistant,
    call,
    developer,
    image,
    legacy_call,
    legacy_result,
    system,
    text,
    tool,
    user,
)
from tests.support.strategies import any_histories, damaged_histories, legal_histories

GO = user("go")
OURS = [
    user(wrap_up_at_limit(25)),
    user(CONTINUE),
    notice_message(3),
    user([text(media_of_result("image_url", "f", "c1")), image()]),
]
"""Messages of the role ``user`` that turnright itself inserts."""


@pytest.mark.parametrize("form", ROUNDS, ids=lambda form: form.__name__)
def test_a_round_in_the_form_of_any_client_counts_once(form: Callable[[int], History]) -> None:
    """Each round counts once in every client's form, and the user's next message begins a new count."""
    for count in range(4):
        history = [system(), GO, *(message for number in range(count) for message in form(number))]

        assert rounds(history) == count
        assert rounds([*history, assistant("Here you are.")]) == count
        assert rounds([*history, assistant("Here you are."), user("Thanks. And now?")]) == 0
    assert delegations([GO, *form(1)]) == 0


@pytest.mark.parametrize("between", [*OURS, system("mind"), developer("mind")])
def test_notices_media_of_results_and_system_messages_open_no_turn(between: dict[str, object]) -> None:
    """Notices, media of results and system messages do not begin a new count, wherever they stand in a turn."""
    first, second = one_round(1), one_round(2)

    assert rounds([GO, *first, between, *second]) == 2
    assert rounds([GO, *first, *second, between]) == 2
    assert rounds([GO, between, *first, *second]) == 2


@pytest.mark.parametrize(
    ("history", "count"),
    [
        ([], 0),
        ([GO], 0),
        ([system("s")], 0),
        ([GO, assistant("hello")], 0),
        ([GO, assistant("hello"), assistant("again")], 0),
        ([GO, tool("a")], 0),
        ([tool("a"), *one_round(1)], 1),
        (one_round(1), 1),
        ([GO, assistant("hello"), tool("a")], 1),
        ([GO, assistant(None, [call("a")])], 1),
        ([GO, assistant(None, [call("a")]), assistant(None, [call("b")]), tool("b")], 1),
        ([GO, assistant("I look"), assistant(None, [call("a")]), tool("a")], 1),
        ([GO, assistant(None, [call("a")]), system("s"), tool("a")], 1),
        ([GO, assistant(None, [call("a")]), tool("a"), system("s"), tool("a")], 1),
        ([GO, *one_round(1), assistant("so far"), *one_round(2)], 2),
        ([GO, assistant(None, [call("a")]), user("wait"), tool("a")], 0),
        ([GO, legacy_call("f"), legacy_result("f"), legacy_call("f")], 2),
        ([GO, assistant(None, [call("a")], function_call=legacy_call()["function_call"]), tool("a")], 1),
        ([GO, assistant("", [], tool_calls=None), tool("a")], 1),
        ([GO, user("Observation:\nx"), assistant("hello")], 0),
        ([GO, assistant("hello"), system("Observation:\nx")], 0),
        ([GO, *smolagents_round(1), user("Observation:\nx\nNew task:\ny")], 0),
        ([GO, *smolagents_round(1), user("Observation:\nx\nNew task:\ny"), *smolagents_round(2)], 1),
        ([GO, *one_round(1), GO, *one_round(2), *one_round(3)], 2),
    ],
)
def test_rounds_without_calls_or_results_are_counted(history: History, count: int) -> None:
    """Calls without results count as a round, and so does an assistant message that a result follows."""
    assert rounds(history) == count


@pytest.mark.parametrize(
    ("names", "work", "handed_on"),
    [
        (["transfer_to_agent"], 0, 1),
        (["transfer_to_refunds"], 0, 1),
        (["handoff_to_writer"], 0, 1),
        (["delegate_work_to_coworker"], 0, 1),
        (["task"], 0, 1),
        (["Task"], 0, 1),
        (["TRANSFER_TO_AGENT"], 0, 1),
        (["task", "transfer_to_a"], 0, 1),
        (["task", "read"], 1, 1),
        (["tasks"], 1, 0),
        (["my_task"], 1, 0),
        (["transfer_money"], 1, 0),
        (["handoff"], 1, 0),
        ([""], 1, 0),
    ],
)
def test_a_round_counts_as_delegation_by_its_tools_names(names: list[str], work: int, handed_on: int) -> None:
    """A round with delegating and other calls counts as both."""
    asked = [call(f"c{at}", name) for at, name in enumerate(names)]
    turn = guard([GO, assistant(None, asked), *(tool(entry["id"]) for entry in asked)]).turn

    assert (turn.rounds, turn.delegations) == (work, handed_on)
    assert turn.limit == (50 if handed_on else 25)


def test_patterns_match_whole_names_without_case() -> None:
    """Only `*` is special in a pattern."""
    policy = replace(WARN, delegation_tools=("Ask_*_Agent", "a.b"))

    assert policy.delegating(
        ["ask_x_agent", "ASK__AGENT", "a.b", "axb", "ask_agent", "task", "ask_x_agents"]
    ) == [
        "ask_x_agent",
        "ASK__AGENT",
        "a.b",
    ]
    assert policy.delegates("ask_\n_agent")
    assert not replace(WARN, delegation_tools=()).delegates("")
    assert delegations(turn_of(3, "task"), policy) == 0


def test_calls_in_texts_delegate_too() -> None:
    """Calls in texts count as delegation, since smolagents calls its managed agents like tools."""
    turn = guard([GO, *smolagents_round(1, "transfer_to_a"), *smolagents_round(2)]).turn

    assert (turn.rounds, turn.delegations) == (1, 1)


forms = st.sampled_from(ROUNDS)
plans = st.lists(forms, max_size=8)
any_history = st.one_of(
    legal_histories(allow_trailing_assistant=True), damaged_histories(), any_histories(), st.just([])
)


def written(plan: list[Callable[[int], History]]) -> History:
    """Return one round in each form of *plan*."""
    return [message for number, form in enumerate(plan) for message in form(number)]


@given(any_history, plans)
def test_only_rounds_after_the_last_user_message_count(
    before: History, plan: list[Callable[[int], History]]
) -> None:
    """Messages before the last user message do not change the count."""
    assert rounds([*before, GO, *written(plan)]) == rounds([GO, *written(plan)]) == len(plan)
    assert rounds([*before, GO]) == 0


@given(any_history, plans, forms)
def test_an_appended_round_counts_one_more(
    before: History, plan: list[Callable[[int], History]], form: Callable[[int], History]
) -> None:
    """The count grows by one, whatever history stands before the round."""
    history = [*before, user("go"), *written(plan)]

    assert rounds([*history, *form(90)]) == rounds(history) + 1
    closed = [*before, tool("c0"), *one_round(80)]
    assert rounds([*closed, *form(90)]) == rounds(closed) + 1


@given(plans, st.data())
def test_rounds_that_only_delegate_never_count_as_work(
    plan: list[Callable[[int], History]], data: st.DataObject
) -> None:
    """Delegating rounds may stand anywhere among the other rounds."""
    mixed: list[History] = [form(number) for number, form in enumerate(plan)]
    count = data.draw(st.integers(0, 4))
    for number in range(count):
        mixed.insert(data.draw(st.integers(0, len(mixed))), one_round(100 + number, "transfer_to_agent"))
    turn = guard([GO, *(message for one in mixed for message in one)]).turn

    assert (turn.rounds, turn.delegations) == (len(plan), count)


@given(st.lists(st.booleans(), max_size=8))
def test_parallel_calls_count_once_however_they_are_split(split: list[bool]) -> None:
    """Parallel calls count as one round, whether they share one assistant message or not."""
    history = [
        GO,
        *(m for at, apart in enumerate(split) for m in (split_round(at) if apart else parallel_round(at))),
    ]

    assert rounds(history) == len(split)
