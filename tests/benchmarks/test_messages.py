"""Tests that the compared requests of chat and of Anthropic's API ask for the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.gateway.bodies import bodies
from benchmarks.gateway.messages import as_messages
from sanitizers.native.messages.project import project
from sanitizers.native.messages.tools import read_tools


def calls_read(messages: Any) -> Any:
    """Return chat messages whose arguments are decoded, since their spaces may differ, and without empty contents."""
    read = []
    for message in messages:
        kept = {name: value for name, value in message.items() if value is not None}
        if "tool_calls" in kept:
            kept["tool_calls"] = [json.loads(call["function"]["arguments"]) for call in kept["tool_calls"]]
        if isinstance(kept.get("content"), list):
            kept["content"] = "".join(part["text"] for part in kept["content"])
        read.append(kept)
    return read


@pytest.mark.parametrize("size", ["small", "10k", "100k"])
def test_both_formats_ask_the_same(size: str) -> None:
    """The messages are read as the chat's own messages and tools, so that the comparison is a fair one."""
    body = bodies()[size]
    asked = as_messages(body)
    projection = project(asked["messages"], asked.get("system"))

    assert calls_read(projection.messages) == calls_read(body["messages"])
    assert read_tools(asked.get("tools")).chat_tools == list(body.get("tools", ()))
