"""A Responses request becomes a chat request with the same meaning. Faults name the client's items."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.source import OPENAI_RESPONSES, ResponsesRequest
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import Converted, read_request, to_chat
from tests.proxy.ingress.openai_responses.responding import TOOLS

USER = {"role": "user", "content": "Hi."}
CALL = {"type": "function_call", "call_id": "call_0", "name": "g", "namespace": "ns", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_0", "output": "ok"}


def body(**fields: Any) -> bytes:
    """Return a request's body."""
    return json.dumps({"model": "m", "input": "Hi.", **fields}).encode()


def convert(history: Any = (), **fields: Any) -> Converted:
    """Convert a request with *fields*, whose conversation before it is *history*."""
    read = read_fields(body(**fields), max_nesting=50)
    return to_chat(read, [*history, *read.items], earlier=len(history))


def test_a_request_becomes_a_chat_request() -> None:
    """Instructions stand in front, calls have flat names, and usage is always wanted."""
    found = convert(
        instructions="Be kind.", input=[USER, CALL, OUTPUT], tools=TOOLS, temperature=0, stream=True, foo=1
    )
    chat = found.chat

    assert [message["role"] for message in chat.messages] == ["system", "user", "assistant", "tool"]
    assert chat.messages[2]["tool_calls"][0]["function"]["name"] == "ns__g"
    assert (chat.model, chat.stream, chat.include_usage) == ("m", True, True)
    assert (chat.parameters["temperature"], dict(chat.unknown)) == (0, {"foo": 1})
    assert chat.parameters["tools"] is found.table.chat_tools
    assert chat.known_tools is not None
    assert chat.known_tools.tools is chat.parameters["tools"]
    assert chat.known_outline is not None


def test_the_source_has_the_format_and_the_body() -> None:
    """The bytes are known as those of this format, and the history as the one that was read from them."""
    given = body()
    chat = read_request(given, max_nesting=50)

    assert chat.source is not None
    assert (chat.source.format, chat.source.body) == (OPENAI_RESPONSES, given)
    assert chat.source.messages is chat.messages
    assert chat.weight >= len(given)


def test_the_stored_conversation_comes_first() -> None:
    """The history before the request is a part of the messages, and instructions are this request's."""
    chat = convert([USER, CALL], input=[OUTPUT], previous_response_id="resp_1").chat

    assert [message["role"] for message in chat.messages] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("fields", "choice", "tools"),
    [
        ({}, None, 6),
        ({"tool_choice": "required"}, "required", 6),
        (
            {"tool_choice": {"type": "custom", "name": "ex"}},
            {"type": "function", "function": {"name": "ex"}},
            6,
        ),
        (
            {
                "tool_choice": {
                    "type": "allowed_tools",
                    "mode": "auto",
                    "tools": [{"type": "function", "name": "f"}],
                }
            },
            "auto",
            1,
        ),
    ],
)
def test_the_tool_choice_is_that_of_chat(fields: dict[str, Any], choice: Any, tools: int) -> None:
    """A choice names the flat tool, and allowed tools are the only ones that are sent."""
    parameters = convert(tools=TOOLS, **fields).chat.parameters

    assert parameters.get("tool_choice") == choice
    assert len(parameters["tools"]) == tools


def test_without_tools_nothing_speaks_of_tools() -> None:
    """Providers refuse these parameters without tools. A dropped tool is reported."""
    chat = convert(tools=[{"type": "web_search"}], tool_choice="required", parallel_tool_calls=True).chat

    assert dict(chat.parameters) == {}
    assert [(change.reason, change.detail) for change in chat.mended] == [
        ("server_tool", "tools[0]:web_search"),
        ("no_tool_left", "tool_choice"),
    ]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"tools": [{"type": "function"}]}, "tools[0].name"),
        ({"tool_choice": {"type": "function", "name": "gone"}}, "tool_choice.name"),
        ({"input": [USER, {"type": 1}]}, "input[1].type"),
        ({"input": [USER, {"type": "item_reference", "id": 7}]}, "input[1].id"),
        ({"input": [{"type": "reasoning", "id": "rs_1", "summary": []}]}, "input"),
    ],
)
def test_a_fault_names_the_item(fields: dict[str, Any], param: str) -> None:
    """The place is in the client's words, with and without a conversation before it."""
    for history in ((), [USER, USER]):
        if history and param == "input":
            continue
        with pytest.raises(InvalidRequest) as refused:
            convert(history, **fields)

        assert (refused.value.param or "").startswith(param)
        assert refused.value.asked_model == "m"
        if param == "input[1].type":
            assert param in refused.value.message


def test_a_fault_in_the_stored_conversation_has_no_place() -> None:
    """The client did not send the item, and cannot find it by a number."""
    with pytest.raises(InvalidRequest) as refused:
        convert([{"type": 1}], input=[USER])

    assert refused.value.param == "input"


@pytest.mark.parametrize(
    ("fields", "param", "status", "code"),
    [
        ({"input": [USER, {"type": "item_reference", "id": "msg_1"}]}, "input[1].id", 404, "not_found"),
        (
            {"input": [USER, {"type": "compaction", "encrypted_content": "gAAAA"}]},
            "input[1].encrypted_content",
            400,
            "invalid_encrypted_content",
        ),
        ({"prompt": {"id": "pmpt_1"}}, "prompt", 400, "invalid_request"),
        ({"tool_choice": {"type": "web_search"}}, "tool_choice", 400, "invalid_request"),
        (
            {"tools": [{"type": "file_search", "vector_store_ids": []}]},
            "tools[0].vector_store_ids",
            400,
            "invalid_request",
        ),
        (
            {"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]},
            "input[0].content[0].file_id",
            400,
            "invalid_request",
        ),
    ],
)
def test_a_need_has_the_refusal_of_chats(fields: dict[str, Any], param: str, status: int, code: str) -> None:
    """Reading refuses nothing that a provider may serve. Clients know OpenAI's codes."""
    [need] = convert(**fields).chat.needs

    assert (need.param, need.error.status, need.error.code) == (param, status, code)
    assert param.partition(".")[0] in need.message or code == "not_found"


def test_a_need_in_the_conversation_has_no_place_in_the_input() -> None:
    """The place of an own item is its place in the request."""
    sealed = {"type": "compaction", "encrypted_content": "gAAAA"}
    [stored] = convert([USER, sealed], input=[USER]).chat.needs
    [own] = convert([USER], input=[USER, sealed]).chat.needs

    assert (stored.param, own.param) == ("input", "input[1].encrypted_content")


def test_a_prompt_at_the_provider_needs_no_input() -> None:
    """A message stands for the prompt, whose text is at the provider."""
    fields = read_fields(
        json.dumps({"model": "m", "prompt": {"id": "p", "version": "2"}}).encode(), max_nesting=9
    )
    chat = to_chat(fields, fields.items).chat

    assert [message["role"] for message in chat.messages] == ["user"]
    assert chat.source is not None
    assert isinstance(chat.source.native, ResponsesRequest)
    assert chat.source.native.fields["prompt"] == {"id": "p", "version": "2"}


@pytest.mark.parametrize("named", ["previous_response_id", "conversation"])
def test_a_conversation_is_refused_where_none_is_stored(named: str) -> None:
    """An answer without its history would be worse than none."""
    with pytest.raises(InvalidRequest) as refused:
        read_request(body(**{named: "x_1"}), max_nesting=50)

    assert refused.value.param == named


def test_a_large_history_weighs_more_than_its_bytes() -> None:
    """Many small items cost more than their bytes to plan."""
    items = [
        USER,
        *({"role": "user", "content": [{"type": "input_text", "text": "a"}] * 50} for _ in range(20)),
    ]

    assert convert(input=items).chat.weight >= 20 * 50 * 512
