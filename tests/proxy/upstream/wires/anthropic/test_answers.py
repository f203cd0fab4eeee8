"""Tests of whole messages as chat completions."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.canonical_chat import THINKING_LAYOUT
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.upstream.wires.anthropic.answers import read_message

Item = dict[str, Any]
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
HIDDEN = {"type": "redacted_thinking", "data": "x"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}


def message(*content: Any, reason: Any = "end_turn", **more: Any) -> Item:
    """Return a whole message."""
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    return {**head, "content": list(content), "stop_reason": reason, **more}


def text(words: str) -> Item:
    """Return a text's block."""
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], {"content": None}),
        ([text("a"), text("b")], {"content": "ab"}),
        ([SEARCH, text("a")], {"content": "a"}),
        (
            [CALL],
            {
                "content": None,
                "tool_calls": [
                    {
                        "id": "toolu_1",
                        "type": "function",
                        "function": {"name": "f", "arguments": '{"a":1}'},
                    }
                ],
            },
        ),
        (
            [THOUGHT, text("ab"), HIDDEN, text("c")],
            {
                "content": "abc",
                "reasoning_content": "hm",
                THINKING_LAYOUT: {
                    "entries": [
                        THOUGHT,
                        {"type": "text", "length": 2},
                        HIDDEN,
                        {"type": "text", "length": 1},
                    ],
                    "text": "abc",
                },
            },
        ),
        ([HIDDEN], {"content": None, THINKING_LAYOUT: {"entries": [HIDDEN], "text": ""}}),
    ],
)  # fmt: skip
def test_blocks_become_one_message(content: list[Item], said: Item) -> None:
    """Thoughts have their order beside the text, and blocks of the server's tools have no form in a chat."""
    [choice] = read_message(message(*content))["choices"]
    assert choice["message"] == {"role": "assistant", **said}


def test_calls_without_thoughts_are_told_where_thoughts_were_asked_for() -> None:
    """A lost thought is told from one that never was."""
    [choice] = read_message(message(CALL, reason="tool_use"), thinks=True)["choices"]
    assert choice["message"][THINKING_LAYOUT] == {"entries": [], "text": ""}
    [choice] = read_message(message(text("a")), thinks=True)["choices"]
    assert THINKING_LAYOUT not in choice["message"]


def test_head_and_usage_are_kept() -> None:
    """The id is the provider's own."""
    answer = read_message(message(text("a"), usage={"input_tokens": 3, "output_tokens": 2}))
    assert (answer["id"], answer["model"], answer["object"]) == ("msg_1", "claude", "chat.completion")
    assert answer["usage"]["total_tokens"] == 5
    assert "usage" not in read_message(message(text("a"), usage=None))


@pytest.mark.parametrize(
    ("given", "arguments"),
    [({}, "{}"), (None, "{}"), ({"a": [1]}, '{"a":[1]}'), ('{"a": 1}', '{"a": 1}')],
)
def test_input_becomes_arguments(given: Any, arguments: str) -> None:
    """Some servers send the input as a text."""
    [choice] = read_message(message({**CALL, "input": given}, reason="tool_use"))["choices"]
    assert choice["message"]["tool_calls"][0]["function"]["arguments"] == arguments
    assert choice["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ([], Cause.NOT_AN_ANSWER),
        ({}, Cause.NOT_AN_ANSWER),
        (message(3), Cause.NOT_AN_ANSWER),
        (message({"type": "text"}), Cause.NOT_AN_ANSWER),
        (message({**CALL, "id": None}), Cause.NOT_AN_ANSWER),
        (message({**CALL, "name": 3}), Cause.NOT_AN_ANSWER),
        (message({"type": "thinking"}), Cause.NOT_AN_ANSWER),
        (message(text("a"), reason=None), Cause.TRUNCATED),
        (message(text("a"), reason=["odd"]), Cause.ODD_END),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "no"}}, Cause.REFUSED),
    ],
)
def test_body_that_is_no_whole_message_is_a_fault(body: Any, cause: Cause) -> None:
    """A client must not take it for a complete answer."""
    with pytest.raises(UpstreamFault) as fault:
        read_message(body)
    assert fault.value.cause is cause
