"""Tests the form of stored items in lists."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_responses.list_items import listed_item, listed_items

SAID = {"type": "output_text", "text": "Hi.", "annotations": [], "logprobs": []}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}"}
SHOWN = {**CALL, "status": "completed"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"role": "user", "content": "Hi."},
            {
                "type": "message",
                "status": "completed",
                "role": "user",
                "content": [{"type": "input_text", "text": "Hi."}],
            },
        ),
        (
            {"type": "message", "role": "assistant", "status": "incomplete", "content": "Hi.", "id": "msg_1"},
            {
                "type": "message",
                "role": "assistant",
                "status": "incomplete",
                "content": [SAID],
                "id": "msg_1",
            },
        ),
        (
            {"type": "message", "status": "completed", "role": "assistant", "content": [SAID]},
            {"type": "message", "status": "completed", "role": "assistant", "content": [SAID]},
        ),
        (CALL, SHOWN),
        ({**CALL, "status": None}, SHOWN),
        ({**CALL, "status": "incomplete"}, {**CALL, "status": "incomplete"}),
        (
            {"type": "function_call_output", "id": "fco_1", "call_id": "call_1", "output": "b"},
            {
                "type": "function_call_output",
                "id": "fco_1",
                "call_id": "call_1",
                "output": "b",
                "status": "completed",
            },
        ),
        (
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "reasoning", "id": "rs_1", "summary": []},
        ),
        ({"id": "msg_1"}, {"id": "msg_1"}),
        ({"type": None, "role": "user"}, {"type": "message", "status": "completed", "role": "user"}),
    ],
)
def test_a_message_has_parts_and_calls_have_a_status(item: dict[str, Any], expected: dict[str, Any]) -> None:
    """A message gets its type, its status and a list of parts, and keeps what it has."""
    before = dict(item)

    assert listed_item(item) == expected
    assert listed_items([item, CALL]) == [expected, SHOWN]
    assert item == before
