"""Tests that the chunks of a stream are joined into a whole answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.chunks_as_whole import chunks_as_whole
from proxy.upstream.whole_as_chunks import whole_as_chunks
from tests.support.scripted_upstream import answer

CALLS = [
    {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
    {"id": "b", "type": "function", "function": {"name": "g", "arguments": '{"x": 1}'}},
]


@pytest.mark.parametrize(
    "message",
    [
        {"content": "Good day."},
        {"content": None, "tool_calls": CALLS},
        {"content": "x", "reasoning_content": "y"},
        {"content": None, "refusal": "No."},
    ],
    ids=["text", "calls", "reasoning", "refusal"],
)
def test_whole_answer_survives_the_way_through_chunks(message: dict[str, Any]) -> None:
    """A whole answer, cut into chunks and joined again, is the same answer."""
    choices = [
        {"index": at, "message": {"role": "assistant", **message}, "finish_reason": "stop"} for at in (0, 1)
    ]
    whole = {**answer(), "choices": choices}

    assert chunks_as_whole(whole_as_chunks(whole)) == whole


def test_pieces_of_texts_and_arguments_are_joined() -> None:
    """Texts and arguments come in pieces. Other fields of a call come once, in any piece."""
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": "Good "},
        {"content": "day."},
        {
            "tool_calls": [
                {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"x":'}, "extra_content": {"google": 1}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]},
        {"thinking_blocks": [{"thinking": "a"}]},
        {"thinking_blocks": [{"thinking": "b"}]},
    ]
    chunks = [
        {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    end = {
        "id": "c",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
        "usage": {"total_tokens": 3},
    }

    whole = chunks_as_whole([*chunks, end])

    assert whole["usage"] == {"total_tokens": 3}
    (choice,) = whole["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"] == {
        "role": "assistant",
        "content": "Good day.",
        "tool_calls": [
            {
                "id": "a",
                "type": "function",
                "function": {"name": "f", "arguments": '{"x":1}'},
                "extra_content": {"google": 1},
            }
        ],
        "thinking_blocks": [{"thinking": "a"}, {"thinking": "b"}],
    }


def test_stream_that_breaks_off_has_no_finish_reason() -> None:
    """Without a finish reason, later code sees that the answer is not complete."""
    whole = chunks_as_whole([{"id": "c", "choices": [{"index": 0, "delta": {"content": "Good"}}]}])

    assert whole["choices"][0]["finish_reason"] is None
