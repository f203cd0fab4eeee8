"""Tests of reading a request of the Messages API, with its headers."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest, UnrepairableHistory
from proxy.core.source import MessagesRequest
from proxy.ingress.anthropic_messages.fields import read_fields
from proxy.ingress.anthropic_messages.read_request import to_chat
from proxy.ingress.client_places import renamed_errors
from proxy.ingress.routes.messages.open_request import OpenedRequest
from tests.proxy.ingress.routes.messages.asking import KEYS, ask, serving
from tests.support.scripted_upstream import answer

BODY = b'{"model":"m","max_tokens":9,"system":"Be brief.","messages":[{"role":"user","content":"Hi."}]}'


async def test_headers_of_the_client_stand_in_the_request() -> None:
    """Its credentials do not."""
    headers = {"anthropic-beta": "a", "x-api-key": "sk-ann-000000", "user-agent": "claude-cli/2"}
    async with serving(general_settings=KEYS) as (proxy, upstream):
        await ask(proxy, headers=headers, path="/v1/messages?beta=true")

    [call] = upstream.calls
    assert call.source is not None
    native = call.source.native
    assert isinstance(native, MessagesRequest)
    assert native.query == "beta=true"
    assert dict(native.headers) == {
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "a",
        "user-agent": "claude-cli/2",
    }


async def test_envelope_of_another_key_is_not_opened() -> None:
    """A signature that a client has read elsewhere does not reach the provider."""
    tool = {"name": "f", "input_schema": {"type": "object"}}
    signed = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "c2lnbmF0dXJl"}},
    }
    fields: dict[str, Any] = {"tools": [tool], "model": "claude-gem", "thinking": {"type": "adaptive"}}
    async with serving([answer(None, tool_calls=[signed])], general_settings=KEYS) as (proxy, _):
        first = await ask(proxy, headers={"x-api-key": "sk-ann-000000"}, **fields)
    content = first.json["content"]
    result = {"type": "tool_result", "tool_use_id": content[1]["id"], "content": "42"}
    history = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": content},
        {"role": "user", "content": [result]},
    ]
    async with serving(general_settings=KEYS) as (proxy, upstream):
        await ask(proxy, history, headers={"x-api-key": "sk-ben-000000"}, **fields)
        await ask(proxy, history, headers={"x-api-key": "sk-ann-000000"}, **fields)

    found = [str(call.messages) for call in upstream.calls]
    assert ["c2lnbmF0dXJl" in text for text in found] == [False, True]


def test_errors_get_the_clients_paths() -> None:
    fields = read_fields(BODY, max_nesting=9)
    opened = OpenedRequest(fields, BODY, to_chat(fields))
    with pytest.raises(UnrepairableHistory) as caught, renamed_errors(opened):
        raise UnrepairableHistory(
            "messages[1] is wrong.", param="messages[1]", violations=[{"rule": "x", "index": 1}]
        )

    assert (caught.value.message, caught.value.param) == ("messages.0 is wrong.", "messages.0")
    assert caught.value.violations == [{"rule": "x", "index": 0}]


def test_errors_of_a_deployment_stay() -> None:
    """They have the client's paths already."""
    fields = read_fields(BODY, max_nesting=9)
    opened = OpenedRequest(fields, BODY, to_chat(fields))
    error = InvalidRequest("x", param="messages[1]")
    error.of_deployment = True
    with pytest.raises(InvalidRequest) as caught, renamed_errors(opened):
        raise error

    assert caught.value.param == "messages[1]"
