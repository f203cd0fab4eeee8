"""Tests of the conversion of a Messages request into a chat request."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.source import ANTHROPIC_MESSAGES, MessagesRequest
from proxy.ingress.anthropic_messages.client_headers import ClientHeaders
from proxy.ingress.anthropic_messages.fields import read_fields
from proxy.ingress.anthropic_messages.read_request import read_request, to_chat

USER = {"role": "user", "content": "Hi."}
TOOL = {"name": "f", "input_schema": {"type": "object"}}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}
BILLING = {"type": "text", "text": "x-anthropic-billing-header: cc_version=2; cch=12;"}
BE = {"type": "text", "text": "Be brief."}


def body_of(**fields: Any) -> bytes:
    """Return the body of a request with *fields*."""
    return json.dumps({"model": "m", "max_tokens": 9, "messages": [USER], **fields}).encode()


def read(**fields: Any) -> Any:
    """Read a request with *fields*."""
    return read_request(body_of(**fields), max_nesting=50)


def native_of(chat: Any) -> MessagesRequest:
    """Return the native request of *chat*."""
    native = chat.source.native
    assert isinstance(native, MessagesRequest)
    return native


def test_request_keeps_its_own_form() -> None:
    """A provider that speaks the API gets the client's own fields, with its headers."""
    body = body_of(system="Be brief.", tools=[TOOL], foo=1)
    headers = ClientHeaders(MappingProxyType({"anthropic-version": "2023-06-01"}), "beta=true")
    converted = to_chat(read_fields(body, max_nesting=50), headers=headers, tenant="ann")
    chat, native = converted.chat, native_of(converted.chat)

    assert chat.source is not None
    assert (chat.source.format, chat.source.body) == (ANTHROPIC_MESSAGES, body)
    assert chat.source.messages is chat.messages
    assert (native.items, native.are_own) == ([USER], True)
    assert native.fields["foo"] == 1
    assert (native.headers, native.query) == (headers.fields, "beta=true")
    assert native.parameters is chat.parameters
    assert chat.include_usage
    assert chat.known_tools is not None
    assert chat.known_tools.tools is chat.parameters["tools"]


def test_system_and_messages_become_a_history() -> None:
    chat = read(system=[BE], messages=[USER, {"role": "assistant", "content": "Hello."}, USER])

    assert [message["role"] for message in chat.messages] == ["system", "user", "assistant", "user"]


def test_billing_block_is_dropped_from_the_chat_alone() -> None:
    """It varies with each request, so that no cache would find the prompt again (vllm-mlx#277)."""
    chat = read(system=[BILLING, BE])

    assert "billing" not in json.dumps(chat.messages)
    assert [(change.reason, change.detail) for change in chat.mended] == [("billing_header", "system.0")]
    assert native_of(chat).conversion == chat.mended
    assert native_of(chat).fields["system"] == [BILLING, BE]
    assert [message["role"] for message in read(system=[BILLING]).messages] == ["user"]


@pytest.mark.parametrize("system", ["x-anthropic-billing-header: in a text", [BE], [], None])
def test_other_system_prompts_stay(system: Any) -> None:
    assert read(system=system).mended == ()


def test_tools_and_their_choice_become_parameters() -> None:
    choice = {"type": "any", "disable_parallel_tool_use": True}
    chat = read(tools=[TOOL, SEARCH], tool_choice=choice)

    assert [tool["function"]["name"] for tool in chat.parameters["tools"]] == ["f"]
    assert (chat.parameters["tool_choice"], chat.parameters["parallel_tool_calls"]) == ("required", False)
    assert [change.reason for change in chat.mended] == ["server_tool"]


def test_forced_search_of_claude_code_goes_out_without_tool_and_choice() -> None:
    """Claude Code takes plain text as the result of its search."""
    chat = read(tools=[SEARCH], tool_choice={"type": "tool", "name": "web_search"})

    assert chat.parameters.keys() == {"max_tokens"}
    assert [change.reason for change in chat.mended] == ["server_tool", "no_tool_left"]


def test_needs_of_fields_tools_and_blocks_are_gathered() -> None:
    upload = {"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}
    chat = read(
        container="c", tools=[{"type": "computer_20250124", "name": "computer"}], messages=[USER, upload]
    )
    params = [need.param for need in chat.needs]

    assert params[:2] == ["container", "tools.0"]
    assert all(param.startswith("messages.1.content.0") for param in params[2:])
    assert len(params) > 2


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages.0.role"),
        ({"tools": [{"name": 1}]}, "tools.0.name"),
        ({"tools": [TOOL], "tool_choice": {"type": "tool", "name": "g"}}, "tool_choice"),
    ],
)
def test_unreadable_request_is_refused_by_its_path(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(**fields)

    assert caught.value.param == param
    assert caught.value.asked_model == "m"


def test_many_small_parts_weigh_more_than_their_bytes() -> None:
    many = [{"role": "user", "content": [{"type": "text", "text": "a"}] * 50}] * 50

    assert read(messages=many).weight > len(body_of(messages=many))
