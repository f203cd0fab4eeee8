"""Tests of a history's form as data."""

from __future__ import annotations

import json

from proxy.planning.probe.history_values import FIRST, TOOLS, calling, function_call, histories, result, user


def test_a_history_is_plain_data() -> None:
    [history] = histories("missing_result", "tools", (user("Hi."), calling(), result()))
    data = json.loads(json.dumps(history.as_dict()))

    assert data == history.as_dict()
    assert data["id"] == data["rule"] == "missing_result"
    assert [message["role"] for message in data["messages"]] == ["user", "assistant", "tool"]
    assert data["tools"] == list(TOOLS)


def test_further_histories_of_a_rule_have_a_number() -> None:
    first, second = histories("no_turn", "text", (user("a"),), (user("b"),))

    assert (first.id, second.id) == ("no_turn", "no_turn-2")
    assert first.tools == ()


def test_a_field_of_a_call_can_be_left_out() -> None:
    assert function_call(name=None) == {
        "id": FIRST,
        "type": "function",
        "function": {"arguments": '{"city": "Paris"}'},
    }
