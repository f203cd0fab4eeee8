"""Tests of the conversion of a request to Gemini into a chat request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.core.source import GEMINI_NATIVE, GeminiRequest
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import read_request, to_chat
from proxy.ingress.openai_chat.parameters import check_parameter

HI = {"role": "user", "parts": [{"text": "Hi."}]}
TOOL = {"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}, {"name": "g"}]}
SEARCH: dict[str, Any] = {"googleSearch": {}}


def body_of(**fields: Any) -> bytes:
    """Return the body of a request with *fields*."""
    return json.dumps({"contents": [HI], **fields}).encode()


def read(**fields: Any) -> ChatRequest:
    """Read a request with *fields*."""
    return to_chat(read_fields(body_of(**fields), model="m", stream=True, max_nesting=50)).chat


def native_of(chat: ChatRequest) -> GeminiRequest:
    """Return the native request of *chat*."""
    assert chat.source is not None
    assert isinstance(chat.source.native, GeminiRequest)
    return chat.source.native


def test_request_keeps_its_own_form() -> None:
    """A provider that speaks the API gets the client's own bytes."""
    body = body_of(system_instruction={"parts": [{"text": "s"}]}, tools=[TOOL], foo=1)
    converted = to_chat(read_fields(body, model="m", stream=True, max_nesting=50), tenant="ann")
    chat, native = converted.chat, native_of(converted.chat)

    assert chat.source is not None
    assert (chat.source.format, chat.source.body) == (GEMINI_NATIVE, body)
    assert chat.source.messages is chat.messages is converted.projection.messages
    assert (native.items, native.are_own) == ([HI], True)
    assert native.fields.keys() == {"system_instruction", "tools", "foo"}
    assert native.parameters is chat.parameters
    assert (chat.model, chat.stream, chat.include_usage) == ("m", True, True)
    assert chat.known_tools is not None
    assert chat.known_tools.tools is chat.parameters["tools"]


def test_system_and_contents_become_a_history() -> None:
    """A missing role is the user's."""
    contents = [{"parts": [{"text": "a"}]}, {"role": "model", "parts": [{"text": "b"}]}, HI]
    chat = read(systemInstruction="Be brief.", contents=contents)

    assert [message["role"] for message in chat.messages] == ["system", "user", "assistant", "user"]
    assert chat.outline is not None
    assert chat.outline.messages is chat.messages


def test_tools_and_their_choice_become_parameters() -> None:
    """A tool that Gemini runs is left out and reported."""
    config = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}}
    chat = read(tools=[TOOL, SEARCH], toolConfig=config, generationConfig={"temperature": 0})

    assert [tool["function"]["name"] for tool in chat.parameters["tools"]] == ["f", "g"]
    assert chat.parameters["tool_choice"] == {"type": "function", "function": {"name": "g"}}
    assert chat.parameters["temperature"] == 0
    assert [change.reason for change in chat.mended] == ["server_tool"]
    assert chat.mended == native_of(chat).conversion
    for name, value in chat.parameters.items():
        check_parameter(name, value)


def test_limited_tools_are_not_the_known_ones() -> None:
    """The facts of the whole list do not hold for a part of it."""
    config = {"functionCallingConfig": {"mode": "VALIDATED", "allowedFunctionNames": ["g"]}}
    chat = read(tools=[TOOL], toolConfig=config)

    assert [tool["function"]["name"] for tool in chat.parameters["tools"]] == ["g"]
    assert chat.known_tools is None


def test_choice_without_tools_is_left_out() -> None:
    """Providers refuse it."""
    chat = read(toolConfig={"functionCallingConfig": {"mode": "ANY"}})

    assert chat.parameters == {}
    assert [change.reason for change in chat.mended] == ["no_tools"]


def test_needs_of_fields_tools_and_parts_are_gathered() -> None:
    """Each is of a kind of its own."""
    file = {"role": "user", "parts": [{"fileData": {"fileUri": "files/a", "mimeType": "text/plain"}}]}
    chat = read(
        contents=[file],
        tools=[SEARCH],
        cachedContent="c",
        generationConfig={"responseModalities": ["IMAGE"]},
    )

    params = [need.param for need in chat.needs]
    assert params[:3] == ["cachedContent", "generationConfig.responseModalities", "tools[0].googleSearch"]
    assert params[3].startswith("contents[0].parts[0]")
    assert [need.served_elsewhere for need in chat.needs[:3]] == ["", "", "web_search"]
    assert [need.names_object for need in chat.needs] == [True, False, False, True]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"contents": [{"role": "user", "parts": "x"}]}, "contents[0].parts"),
        ({"tools": [{"functionDeclarations": [{}]}]}, "tools[0].functionDeclarations[0].name"),
        (
            {"tools": [TOOL], "toolConfig": {"functionCallingConfig": {"mode": "x"}}},
            "toolConfig.functionCallingConfig.mode",
        ),
    ],
)
def test_unreadable_request_is_refused_by_its_path(fields: dict[str, Any], param: str) -> None:
    """The error has the asked model, for the record of the request."""
    with pytest.raises(InvalidRequest) as caught:
        read(**fields)
    assert (caught.value.param, caught.value.asked_model) == (param, "m")


def test_request_without_a_path_names_its_model() -> None:
    """The dry run reads such bodies."""
    chat = read_request(body_of(model="models/m"), max_nesting=50)

    assert (chat.model, chat.stream) == ("m", False)
    with pytest.raises(InvalidRequest) as caught:
        read_request(body_of(), max_nesting=50)
    assert caught.value.param == "model"


def test_weight_counts_messages_and_parts() -> None:
    """Many small parts cost more than their bytes."""
    parts = [{"inlineData": {"mimeType": "image/png", "data": ""}}] * 100
    small, large = read(), read(contents=[{"role": "user", "parts": parts}] * 10)

    assert small.weight < 4_096
    assert large.weight > 512 * 1_000


def test_unknown_fields_are_those_of_gemini_alone() -> None:
    """They are dropped and reported where a chat is sent."""
    assert read(safetySettings=[], foo=1).unknown == {"safetySettings": [], "foo": 1}
