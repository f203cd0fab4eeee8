"""Tests that unreadable histories are refused with the rule and the place."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable, sanitize, validate_messages
from sanitizers.gemini_profiles import GEMINI_2
from sanitizers.profiles import OPENAI
from tests.support.builders import assistant, call, tool, user

GO = user("go")


@pytest.mark.parametrize(
    ("messages", "rule", "param"),
    [
        (None, "messages_not_a_list", "messages"),
        ({"role": "user"}, "messages_not_a_list", "messages"),
        ([], "no_messages", "messages"),
        ([GO, "hi"], "wrong_type", "messages[1]"),
        ([GO, {}], "unknown_role", "messages[1].role"),
        ([GO, {"role": "model", "content": "x"}], "unknown_role", "messages[1].role"),
        ([GO, {"role": ["user"], "content": "x"}], "unknown_role", "messages[1].role"),
        ([GO, user(3)], "wrong_type", "messages[1].content"),
        ([GO, user({"a": 1})], "wrong_type", "messages[1].content"),
        ([GO, user(["x"])], "wrong_type", "messages[1].content[0]"),
        ([GO, user([{"text": "x"}])], "unknown_part", "messages[1].content[0].type"),
        ([GO, user([{"type": "input_text", "text": "x"}])], "unknown_part", "messages[1].content[0].type"),
        ([GO, user([{"type": "text", "text": 3}])], "wrong_type", "messages[1].content[0].text"),
        (
            [GO, user([{"type": "image_url", "image_url": 3}])],
            "wrong_type",
            "messages[1].content[0].image_url.url",
        ),
        (
            [GO, user([{"type": "input_audio", "input_audio": "x"}])],
            "wrong_type",
            "messages[1].content[0].input_audio",
        ),
        ([GO, user([{"type": "file"}])], "wrong_type", "messages[1].content[0].file"),
        ([GO, tool("a", [{"type": "zzz"}])], "unknown_part", "messages[1].content[0].type"),
        ([GO, assistant("x", tool_calls={})], "wrong_type", "messages[1].tool_calls"),
        ([GO, assistant("x", tool_calls=["y"])], "wrong_type", "messages[1].tool_calls[0]"),
        ([GO, assistant("x", tool_calls=[{"id": 3}])], "wrong_type", "messages[1].tool_calls[0].id"),
        (
            [GO, assistant("x", tool_calls=[{"function": []}])],
            "wrong_type",
            "messages[1].tool_calls[0].function",
        ),
        (
            [GO, assistant("x", tool_calls=[{"function": {"name": 3}}])],
            "wrong_type",
            "messages[1].tool_calls[0].function.name",
        ),
        ([GO, assistant("x", function_call="y")], "wrong_type", "messages[1].function_call"),
        ([GO, tool(3)], "wrong_type", "messages[1].tool_call_id"),
        ([GO, user("x", name=3)], "wrong_type", "messages[1].name"),
    ],
)
def test_unreadable_history_is_refused_with_its_place(messages: Any, rule: str, param: str) -> None:
    """An unreadable history is refused with the rule and the field."""
    with pytest.raises(Unrepairable) as caught:
        validate_messages(messages)

    assert (rule, param) == (caught.value.rule, caught.value.param)


@pytest.mark.parametrize(
    "messages",
    [
        [user("")],
        [user(None), assistant("")],
        [tool("a", "x")],
        [assistant(None, calls=[call("a", "")])],
    ],
)
def test_history_with_nothing_to_send_is_refused(messages: list[dict[str, Any]]) -> None:
    """A history of empty messages and stray results is refused, and no message is invented in its place."""
    with pytest.raises(Unrepairable) as caught:
        sanitize(messages, GEMINI_2)

    assert "nothing_to_send" == caught.value.rule


def test_bare_result_values_can_be_read() -> None:
    """An object, a number or an array is a readable result."""
    for content in ({"a": 1}, 3, True, [1], [{"row": 1}]):
        history = [GO, assistant(calls=[call("a")]), tool("a", content)]

        assert sanitize(history, OPENAI).violations == ()
