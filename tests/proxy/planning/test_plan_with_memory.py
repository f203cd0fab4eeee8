"""Tests of the plan of a history in which a memory stands in place of older messages."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import ContextTooLong, InvalidRequest
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.plan import Plan, format_changes, plan_request
from sanitizers import Change, find_violations
from tests.proxy.inspector.looking import parse
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, agent, facts_for, output
from tests.proxy.planning.compact.memories import TEXT, memory_of
from tests.proxy.planning.compact.test_client_indexes import Compacted, compacted
from tests.proxy.planning.test_plan import target_of
from tests.sanitizers.budget.test_fit_properties import calls_and_results
from tests.support.builders import assistant, call, system, tool, user

GEMINI_1 = "gemini/gemini-1.5-pro"
"""A model whose profile refuses two user messages in a row."""

HISTORY = agent(20)
MEMORY = memory_of(2, 32)
LEFT = [*HISTORY[:2], user(TEXT), *HISTORY[32:]]


def planned(
    history: list[dict[str, Any]] = HISTORY,
    memory: AppliedMemory | None = MEMORY,
    *,
    model: str = LOCAL,
    mode: str = "repair",
    window: int = 200_000,
    **fields: Any,
) -> Plan:
    """Return the counted plan of *history* with *memory*."""
    target, facts = target_of(mode, model), facts_for(model, window)
    return plan_request(parse(history, **fields), target, facts=facts, memory=memory, count=True)


def texts_of(plan: Plan) -> str:
    """Return all texts that are sent, one after the other."""
    contents = [message.get("content") or "" for message in plan.messages]
    parts = [content if isinstance(content, list) else [{"text": content}] for content in contents]
    return "\n".join(part["text"] for content in parts for part in content if "text" in part)


def test_a_memory_stands_in_place_of_the_older_messages() -> None:
    """All other messages are sent as the client's own objects. The plan keeps the client's whole request."""
    request = parse(HISTORY)
    plan = plan_request(request, target_of(), facts=facts_for(window=200_000), memory=MEMORY)

    assert list(plan.messages) == LEFT
    assert all(any(sent is own for own in request.messages) for sent in plan.messages if sent != user(TEXT))
    assert (plan.memory, plan.request.messages) == (MEMORY, request.messages)
    assert plan.request.outline is request.outline
    assert plan.request.pinned == ()


def test_the_change_states_the_replaced_messages() -> None:
    """The change of the memory precedes the changes of the sanitizer, in the list and in the header."""
    history = [*HISTORY, assistant("One."), assistant("Two."), user("Go on.")]
    plan = planned(history, model=GEMINI)

    assert plan.changes[0] == Change("compaction", "replaced", 2, "summary", "messages 2-31")
    assert format_changes(plan.changes).startswith("compaction=1,role_merge=")


@pytest.mark.parametrize("mode", ["observe", "strict", "off"])
def test_other_modes_than_repair_ignore_a_memory(mode: str) -> None:
    """The plan is the one without a memory."""
    plan = planned(mode=mode)

    assert plan.memory is None
    assert plan.changes == ()
    assert list(plan.messages) == HISTORY


def test_changes_and_violations_have_the_indexes_of_the_client() -> None:
    """The same faults behind the memory have the same indexes with a memory and without one."""
    faulty = [
        *HISTORY,
        assistant(None, [call("a", "look up!"), call("b")]),
        tool("b"),
        tool("nobody"),
        assistant("One."),
        assistant("Two."),
        system("Late."),
        user("Go on."),
    ]
    tools = [{"type": "function", "function": {"name": "look up!", "parameters": {"type": "object"}}}]
    without = planned(faulty, None, model=GEMINI, tools=tools)
    plan = planned(faulty, model=GEMINI, tools=tools)

    assert plan.outcome is not None
    assert without.outcome is not None
    assert plan.outcome.found == without.outcome.found
    assert plan.outcome.changes == without.outcome.changes
    assert plan.outcome.origins == tuple(
        2 if message == user(TEXT) else origin
        for message, origin in zip(plan.messages, plan.outcome.origins or (), strict=True)
    )
    assert [*plan.outcome.origins][:4] == [0, 1, 2, 32]
    assert {at.index for at in plan.outcome.changes if at.reason == "call_name"} == {len(HISTORY)}
    assert {at.index for at in plan.outcome.changes if at.reason == "tool_name"} == {0}


def test_cuts_events_and_parts_have_the_indexes_of_the_client() -> None:
    """A round behind the memory is cut at its index in the client's history."""
    large = [*HISTORY, assistant(None, [call("z", "run")]), tool("z", output(99, 60_000))]
    plan = planned(large, window=16_000)

    assert plan.memory is not None
    assert plan.budget is not None
    assert plan.budget.fitted is not None
    assert plan.budget.before is not None
    cut = {change.index for change in plan.cuts}
    assert len(large) - 1 in cut
    assert cut <= set(range(32, len(large)))
    assert plan.budget.fitted.events[-1].index == len(large) - 1
    assert plan.budget.is_new_cut
    assert plan.budget.before.largest[0][0] == len(large) - 1
    assert plan.budget.fitted.changes == plan.cuts


def test_an_older_cut_of_a_compacted_history_is_not_new() -> None:
    """A cut that an earlier request had already is not counted again."""
    large = [*HISTORY, assistant(None, [call("z", "run")]), tool("z", output(99, 60_000))]
    longer = [*large, assistant("Done."), user("And now?")]
    plan = planned(longer, window=16_000)

    assert plan.budget is not None
    assert plan.budget.fitted is not None
    assert plan.budget.fitted.events
    assert not plan.budget.is_new_cut


def test_header_and_report_state_the_tokens_of_the_memory() -> None:
    """Without a memory the header and the report are as before."""
    plan, without = planned(), planned(memory=None)

    assert plan.budget is not None
    assert without.budget is not None
    assert plan.budget.header().endswith(";memory=1840")
    assert plan.budget.as_dict()["memory"] == 1_840
    assert "memory" not in without.budget.header()
    assert "memory" not in without.budget.as_dict()


def test_a_history_that_is_refused_with_its_memory_is_planned_whole() -> None:
    """A memory that does not fit is not used."""
    huge = memory_of(2, 32, text="word " * 20_000, tokens=20_000)
    plan = planned(memory=huge, window=16_000)

    assert plan.memory is None
    assert plan.changes == planned(memory=None, window=16_000).changes
    assert "memory" not in (plan.budget.header() if plan.budget else "")


def test_an_error_of_the_whole_history_stands() -> None:
    """The error is the one without a memory, with the client's indexes."""
    hopeless = [system("word " * 40_000), *HISTORY[1:]]
    errors: list[InvalidRequest] = []
    for memory in (MEMORY, None):
        with pytest.raises(ContextTooLong) as refused:
            planned(hopeless, memory, window=16_000)
        errors.append(refused.value)

    assert str(errors[0]) == str(errors[1])


@pytest.mark.parametrize(("model", "joined"), [(LOCAL, False), (GEMINI, False), (GEMINI_1, True)])
def test_the_memory_stays_whole_where_the_history_is_cut(model: str, *, joined: bool) -> None:
    """Rounds are dropped, but no character of the memory. A joined memory stays whole with the user's goal."""
    history = [system("Be brief."), user("Goal. " * 400), *agent(40)[2:]]
    memory = memory_of(2, 32)
    plan = planned(history, memory, model=model, window=9_000)

    assert plan.memory is memory
    assert any(cut.reason == "round_dropped" for cut in plan.cuts)
    assert TEXT in texts_of(plan)
    assert "Goal. " * 400 in texts_of(plan)
    assert (user(TEXT) in plan.messages) is not joined


@pytest.mark.parametrize("model", [LOCAL, GEMINI, GEMINI_1])
def test_only_the_middle_of_the_user_s_own_texts_is_cut(model: str) -> None:
    """A goal that does not fit beside the memory is cut, or the history is planned without the memory."""
    history = [system("Be brief."), user("".join(f"Line {at}.\n" for at in range(4_000))), *agent(8)[2:]]
    memory = memory_of(2, 8)
    plan = planned(history, memory, model=model, window=9_000)

    assert any(cut.reason == "middle_cut" for cut in plan.cuts)
    assert (TEXT in texts_of(plan)) is (plan.memory is not None) is (model != GEMINI_1)
    assert find_violations(list(plan.messages), plan.profile) == ()


@pytest.mark.parametrize("model", [LOCAL, GEMINI, GEMINI_1])
def test_a_client_cannot_pin_a_text_by_copying_a_memory(model: str) -> None:
    """A message with the memory's text is dropped like any other."""
    history = [*agent(10), assistant("Well."), user(TEXT), *agent(30)[2:], user("Go on."), *agent(4)[2:]]
    plan = planned(history, memory_of(2, 12), model=model, window=9_000)

    assert plan.memory is not None
    assert texts_of(plan).count(TEXT) == 1


def test_a_joined_memory_with_an_instruction_of_the_proxy_stays_whole() -> None:
    """An instruction is appended to the user's first message, which becomes a new object."""
    schema = {"name": "answer", "schema": {"type": "object"}}
    plan = planned(
        [user("Goal."), *agent(40)[2:]],
        memory_of(1, 31),
        model="deepseek/deepseek-reasoner",
        window=9_000,
        response_format={"type": "json_schema", "json_schema": schema},
    )
    first = plan.messages[0]["content"]

    assert plan.memory is not None
    assert any(cut.reason == "round_dropped" for cut in plan.cuts)
    assert first.startswith(f"Goal.\n\n{TEXT}\n\n")
    assert "JSON" in first


@given(compacted(), st.sampled_from([LOCAL, GEMINI, GEMINI_1]), st.integers(1_500, 12_000))
def test_any_compacted_history_is_legal_and_has_its_whole_memory(
    made: Compacted, model: str, window: int
) -> None:
    """For any window each call has its result, and the memory is there to the last character, or not at all."""
    history, memory = made
    try:
        plan = planned(history, memory, model=model, window=window)
    except ContextTooLong:
        with pytest.raises(ContextTooLong):
            planned(history, None, model=model, window=window)
        return
    sent = list(plan.messages)
    calls, results = calls_and_results(sent)

    assert Counter(calls) == Counter(results)
    assert find_violations(sent, plan.profile) == ()
    assert texts_of(plan).count(TEXT) == (plan.memory is memory)
    assert all(0 <= change.index < len(history) for change in plan.changes)
