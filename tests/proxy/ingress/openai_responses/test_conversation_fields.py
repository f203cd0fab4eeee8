"""Tests of the body of requests about conversations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_responses.conversation_fields import read_conversation_fields


@pytest.mark.parametrize("body", [b"", b" ", b"{}", b'{"metadata": null, "items": null}'])
def test_body_may_be_empty(body: bytes) -> None:
    fields = read_conversation_fields(body, max_nesting=50)
    assert (fields.metadata, fields.items) == ({}, [])


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'{"items": {}}',
        b'{"items": [1]}',
        b'{"metadata": []}',
        b'{"items": [%s]}' % b",".join([b"{}"] * 21),
    ],
)
def test_faulty_body_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequest):
        read_conversation_fields(body, max_nesting=50)


def test_body_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        read_conversation_fields(b'{"items": [{"a": %s}]}' % (b"[" * 60 + b"]" * 60), max_nesting=50)


@pytest.mark.parametrize(
    ("item", "param"),
    [
        ({}, "items[1].type"),
        ({"type": 7}, "items[1].type"),
        ({"type": "message", "role": "boss"}, "items[1].role"),
        ({"role": "user", "content": 7}, "items[1].content"),
        ({"role": "user", "content": [{"type": "input_text", "text": 7}]}, "items[1].content[0].text"),
        ({"type": "function_call", "call_id": 7}, "items[1].call_id"),
        ({"type": "additional_tools", "tools": [{"type": "function"}]}, "items[1].tools[0].name"),
        ({"type": "item_reference", "id": "msg_1"}, "items[1]"),
        ({"id": "rs_1"}, "items[1]"),
    ],
)
def test_item_that_no_request_could_read_is_refused_with_its_place(item: dict[str, Any], param: str) -> None:
    """It would make each later request of the conversation a 400."""
    body = json.dumps({"items": [{"role": "user", "content": "a"}, item]}).encode()
    with pytest.raises(InvalidRequest) as refused:
        read_conversation_fields(body, max_nesting=50)

    assert refused.value.param == param
    assert param in refused.value.message or ".role" in param
    assert "input" not in refused.value.message


@pytest.mark.parametrize(
    "item",
    [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call_output", "call_id": "call_1", "output": "b"},
        {"type": "compaction", "encrypted_content": "gAAA"},
        {"role": "user", "content": [{"type": "input_file", "file_id": "f"}]},
        {"type": "web_search_call", "id": "ws_1"},
        {"type": "unheard_of"},
    ],
)
def test_item_that_some_provider_can_read_is_taken(item: dict[str, Any]) -> None:
    """The rest of the conversation may be added later."""
    assert read_conversation_fields(json.dumps({"items": [item]}).encode(), max_nesting=50).items == [item]
