"""Tests the names, types and fields of calls and results, and new ids on both sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from proxy.planning.repairs.repair_calls import (
    add_call_types,
    drop_call_fields,
    fill_names,
    make_call_ids_fit,
    rename_call_ids,
)
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import assistant, call, tool, user, without


def test_a_call_without_a_type_gets_the_type_of_its_field() -> None:
    """A type that is null counts as missing, and any other type stays."""
    custom = {"id": "c", "custom": {"name": "sh", "input": "ls"}}
    calls = [
        without(call("a"), "type"),
        {**call("b", "g"), "type": None},
        custom,
        {**call("d", "h"), "type": "other"},
    ]
    draft = add_call_types(
        draft_of([user("go"), assistant(None, calls), tool("a"), tool("b"), tool("c"), tool("d")]),
        refusal("Missing required parameter: 'messages[1].tool_calls[0].type'."),
    )

    assert [one["type"] for one in draft.messages[1]["tool_calls"]] == [
        "function",
        "function",
        "custom",
        "other",
    ]
    assert listed(draft) == [("replaced", 1, "call_type", "")]


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Unknown parameter: 'messages[1].tool_calls[0].index'.", ["parsedArguments"]),
        ("Unknown parameter: 'messages[1].tool_calls[0].function.parsedArguments'.", ["index"]),
        (
            "unknown field: parameter 'index' is not a valid field. unknown field: parameter 'parsedArguments' is not "
            "a valid field.",
            [],
        ),
    ],
)
def test_a_named_field_is_dropped_from_calls_and_their_functions(words: str, left: list[str]) -> None:
    """Errors are compared in lower case.

    Fields of other messages stay, and the change's detail has the name of the field.
    """
    called = call("a", index=0)
    called["function"]["parsedArguments"] = {}
    history = [user("go", index=7), assistant(None, [called, call("b", "g")]), tool("a"), tool("b")]
    draft = drop_call_fields(draft_of(history), refusal(words))

    first, second = draft.messages[1]["tool_calls"]
    assert sorted({*first, *first["function"]} & {"index", "parsedArguments"}) == left
    assert second is history[1]["tool_calls"][1]
    assert draft.messages[0] is history[0]
    [(kind, index, reason, detail)] = listed(draft)
    assert (kind, index, reason) == ("dropped", 1, "refused_field")
    assert detail.split(",") == sorted({"index", "parsedarguments"} - {name.lower() for name in left})


def test_a_call_gets_its_result_s_name_and_a_result_its_call_s() -> None:
    """A call gets its result's name, and a result its call's.

    A signature suffix on one side does not matter.
    """
    history = [
        user("go"),
        assistant(None, [call("a__thought__c2ln", ""), call("b", "look")]),
        tool("a", "one", name="read"),
        tool("b", "two"),
    ]
    draft = fill_names(draft_of(history), refusal("Name cannot be empty."))

    assert [one["function"]["name"] for one in draft.messages[1]["tool_calls"]] == ["read", "look"]
    assert [message["name"] for message in draft.messages[2:]] == ["read", "look"]
    assert [change.index for change in draft.changes] == [1, 3]


def test_a_pair_without_any_name_gets_one_name() -> None:
    """A call and a result without names get the same made-up name."""
    history = [user("go"), assistant(None, [call("a", "")]), tool("a", "one")]
    draft = fill_names(draft_of(history), refusal("Name cannot be empty."))

    assert draft.messages[1]["tool_calls"][0]["function"]["name"] == "unknown_tool"
    assert draft.messages[2]["name"] == "unknown_tool"


def test_a_history_with_all_names_is_the_same_draft() -> None:
    draft = draft_of([user("go"), assistant(None, [call("a", "look")]), tool("a", "one", name="look")])

    assert fill_names(draft, refusal("Name cannot be empty.")) is draft


def ids_of(messages: Sequence[dict[str, Any]]) -> list[str]:
    """Return the ids of calls and results, in order."""
    calls = [one["id"] for message in messages for one in message.get("tool_calls") or ()]
    return calls + [message["tool_call_id"] for message in messages if message["role"] == "tool"]


@pytest.mark.parametrize(
    ("words", "bad", "good", "rule"),
    [
        ("string too long. Expected a string with maximum length 40", "x" * 41, "x" * 40, r".{9}"),
        ("tool_use.id: String should match pattern", "a:b", "a-b", r"[a-zA-Z0-9_-]{1,64}"),
        ("Tool call id was a-b but must be a-z, with a length of 9.", "a-b", "abcdefghi", r"[a-zA-Z0-9]{9}"),
    ],
)
def test_an_illegal_id_is_replaced_on_both_sides(words: str, bad: str, good: str, rule: str) -> None:
    """An illegal id is replaced in the call and in its result. A legal id of the same turn stays."""
    history = [user("go"), assistant(None, [call(bad), call(good)]), tool(bad, "one"), tool(good, "two")]
    draft = make_call_ids_fit(draft_of(history), refusal(words))
    first, second, *results = ids_of(draft.messages)

    assert re.fullmatch(rule, first)
    assert (second, results) == (good, [first, good])
    assert listed(draft) == [("replaced", 1, "call_id", ""), ("replaced", 2, "call_id", "")]


def test_two_calls_of_a_turn_never_share_an_id() -> None:
    """Two calls of a turn never share an id. The second call gets a derived id, and so does its result."""
    history = [user("go"), assistant(None, [call("a"), call("b")]), tool("a", "one"), tool("b", "two")]
    entries, _ = rename_call_ids(draft_of(history).entries, lambda given: "same")
    first, second, *results = ids_of([entry.message for entry in entries])

    assert first == "same"
    assert second != "same"
    assert results == [first, second]


SIGNED = "a__thought__c2ln"


@pytest.mark.parametrize(("called", "answered"), [(SIGNED, "a"), ("a", SIGNED)])
def test_a_suffix_on_one_side_does_not_part_a_result_from_its_call(called: str, answered: str) -> None:
    """A signature suffix on one side does not separate a result from its call.

    Some clients strip the suffix on one side only.
    """
    history = [user("go"), assistant(None, [call(called)]), tool(answered, "one")]
    entries, _ = rename_call_ids(draft_of(history).entries, lambda given: f"new{len(given)}")
    one, result = ids_of([entry.message for entry in entries])

    assert one == result == f"new{len(called)}"


def test_ids_that_may_stay_change_nothing() -> None:
    """Entries whose ids may stay are returned as the same objects."""
    before = draft_of([user("go"), assistant(None, [call("a")]), tool("a", "one")]).entries
    entries, changes = rename_call_ids(before, lambda given: given)

    assert changes == []
    assert all(new is old for new, old in zip(entries, before, strict=True))
