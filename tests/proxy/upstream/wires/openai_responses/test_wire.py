"""Tests of the wire as the protocol of wires."""

from __future__ import annotations

import json

from proxy.core.source import OPENAI_RESPONSES, SOURCE, AnswerSource
from proxy.upstream.wires.openai.wire import AZURE, OPENAI
from proxy.upstream.wires.table import CHATS_BY_RESPONSES, RESPONSES
from tests.proxy.upstream.wires.openai_responses.calling import call_for, openai
from tests.support.native_responses import CUSTOM, ITEMS, MESSAGE, TOOLS, response, stream_of

WIRE = RESPONSES["openai"]


def test_key_and_errors_are_those_of_chats() -> None:
    deployment = openai()
    azure = openai("azure/g", api_base="https://a.openai.azure.com", api_version="2025-04-01-preview")
    refusal = b'{"error":{"message":"Too many tokens."}}'

    assert WIRE.headers(deployment) == OPENAI.chat.headers(deployment)
    assert RESPONSES["azure"].headers(azure) == AZURE.chat.headers(azure)
    assert WIRE.read_error(400, refusal) == "Too many tokens."
    assert WIRE.unsupported(deployment, {"top_k": 1}) == {"top_k"}
    url = RESPONSES["azure"].url(call_for({}, azure), stream=True)
    assert url == "https://a.openai.azure.com/openai/responses?api-version=2025-04-01-preview"


def test_answer_has_the_response_as_its_source() -> None:
    native = response(ITEMS)
    answer = WIRE.read_answer(json.dumps(native).encode(), call_for({}))

    assert answer[SOURCE] == AnswerSource(OPENAI_RESPONSES, native)
    assert WIRE.format == OPENAI_RESPONSES


def test_chat_goes_out_as_a_response_and_comes_back_as_a_chat() -> None:
    """A client of the same API gets a chat too, from which its format writes the answer."""
    wire, call = CHATS_BY_RESPONSES["openai"], call_for({"tools": TOOLS})
    answer = wire.read_answer(json.dumps(response([*ITEMS, CUSTOM])).encode(), call)
    reader = wire.read_stream(call)
    chunks = [chunk for event in stream_of([CUSTOM]) for chunk in reader.feed(json.dumps(event).encode())]

    assert json.loads(wire.write_request(call, stream=False))["input"] == [
        {"type": "message", "role": "user", "content": "Hi."}
    ]
    assert wire.url(call, stream=True) == "https://api.openai.com/v1/responses"
    assert SOURCE not in answer
    assert not any(SOURCE in chunk for chunk in chunks)
    assert [one["function"]["name"] for one in answer["choices"][0]["message"]["tool_calls"]] == ["f", "ex"]


def test_messages_of_a_whole_answer_are_apart() -> None:
    whole = json.dumps(response([MESSAGE, MESSAGE])).encode()
    [choice] = CHATS_BY_RESPONSES["openai"].read_answer(whole, call_for({}))["choices"]

    assert choice["message"]["content"] == "Well. ✓\n\nWell. ✓"
