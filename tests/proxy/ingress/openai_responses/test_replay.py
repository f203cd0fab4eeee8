"""Tests of the events of a stored response."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_responses.replay import replay_events
from tests.proxy.ingress.openai_responses.responding import answers, whole
from tests.support.responses_grammar import events_of, find_stream_faults

CALLS = [
    {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": arguments}}
    for name, arguments in (
        ("f", '{"a": 1}'),
        ("ex", '{"input": ""}'),
        ("local_shell", '{"command": ["ls"]}'),
    )
]


@pytest.mark.parametrize(
    "message",
    [
        {"content": "Hello."},
        {"content": None, "refusal": "No."},
        {"content": "Look.", "reasoning_content": "Hm.", "tool_calls": CALLS},
    ],
)
def test_replayed_stream_follows_the_grammar_and_ends_with_the_same_response(message: dict[str, Any]) -> None:
    response = answers(shows_thoughts=True).finish(
        whole(message, "tool_calls" if "tool_calls" in message else "stop")
    )
    assert response is not None
    raw = replay_events(response)
    assert find_stream_faults(raw) == []
    assert events_of(raw)[-1]["response"] == response


def test_events_behind_a_number_are_the_rest() -> None:
    response = answers().finish(whole({"content": "Hello."}))
    assert response is not None
    raw = replay_events(response)
    for after in range(-1, 12):
        assert raw.endswith(replay_events(response, after))


def test_failed_response_ends_with_its_error() -> None:
    response = answers().finish(whole({"content": ""}))
    assert response is not None
    assert response["status"] == "failed"
    assert find_stream_faults(replay_events(response), complete=False) == []
