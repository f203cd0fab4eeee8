"""Tests that the compared requests of the two formats ask for the same."""

from __future__ import annotations

import json

import pytest

from benchmarks.gateway.bodies import bodies
from benchmarks.gateway.responses import as_items
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.openai_responses.read_request import read_request


@pytest.mark.parametrize("size", ["small", "10k", "100k"])
def test_both_formats_ask_the_same(size: str) -> None:
    """The items are read as the chat's own messages and tools, so that the comparison is a fair one."""
    body = bodies()[size]
    chat = parse_chat_request(json.dumps({**body, "model": "m"}).encode(), max_nesting=99)
    items = read_request(json.dumps({**as_items(body), "model": "m"}).encode(), max_nesting=99)

    assert items.messages == chat.messages
    assert items.parameters.get("tools") == chat.parameters.get("tools")
