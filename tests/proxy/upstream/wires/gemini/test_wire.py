"""Tests of the URLs and headers of Gemini's wires, of deeply nested arguments, and of empty events."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest, UpstreamFault
from proxy.core.source import GEMINI_NATIVE, SOURCE
from proxy.core.upstream_call import UpstreamCall
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import to_chat
from proxy.upstream.wires.gemini.wire import GEMINI
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import assistant, call, tool, user

MODEL = "gemini/gemini-3.6-flash"
BASE = "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.6-flash"


@pytest.mark.parametrize(
    ("stream", "method"), [(False, ":generateContent"), (True, ":streamGenerateContent?alt=sse")]
)
def test_url_names_the_model_and_the_method(stream: bool, method: str) -> None:
    """Gemini has separate methods for a stream and for a whole answer."""
    assert (
        GEMINI.chat.url(UpstreamCall(deployment_of(MODEL), [user("a")], {}, LIMITS), stream=stream)
        == f"{BASE}{method}"
    )


@pytest.mark.parametrize(
    ("params", "expected"), [({}, {}), ({"api_key": "k"}, {"x-goog-api-key": "k"})], ids=["no key", "key"]
)
def test_headers_name_the_key(params: dict[str, str], expected: dict[str, str]) -> None:
    """Chat and embedding calls have the same headers, with the key if the deployment has one."""
    assert GEMINI.embeddings is not None
    deployment = deployment_of(MODEL, **params)

    for headers in (GEMINI.chat.headers(deployment), GEMINI.embeddings.headers(deployment)):
        assert headers == {"Content-Type": "application/json", **expected}


def test_arguments_that_nest_too_deeply_are_the_client_s_fault() -> None:
    """In OpenAI's format the arguments are a text, so no earlier check has seen their depth."""
    deep = '{"a":' * 900 + "1" + "}" * 900
    messages = [user("a"), assistant(None, [call("c1", "f", deep)]), tool("c1", "b")]

    with pytest.raises(InvalidRequest, match="nested too deeply"):
        GEMINI.chat.write_request(UpstreamCall(deployment_of(MODEL), messages, {}, LIMITS), stream=False)


def test_empty_event_of_gemini_gives_no_chunk() -> None:
    """Some servers send empty events to keep the connection alive."""
    call = UpstreamCall(deployment_of(MODEL), [user("a")], {}, LIMITS)

    assert GEMINI.chat.read_stream(call).feed(b"") == []


@pytest.mark.parametrize(
    ("thinking", "fields", "config"),
    [
        ({"type": "adaptive"}, {}, {"includeThoughts": True}),
        ({"type": "of_tomorrow"}, {}, {"includeThoughts": True}),
        (
            {"type": "adaptive"},
            {"output_config": {"effort": "low"}},
            {"thinkingLevel": "low", "includeThoughts": True},
        ),
        ({"type": "adaptive", "display": "omitted"}, {}, None),
        ({"type": "disabled"}, {}, {"thinkingLevel": "minimal", "includeThoughts": False}),
        (None, {}, None),
    ],
)
def test_client_of_messages_that_asks_for_thinking_gets_thoughts(
    thinking: Any, fields: dict[str, Any], config: Any
) -> None:
    """The model's own effort stays. A model without thinking is asked for none."""
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}], **fields}
    chat = read_request(json.dumps({**asked, "thinking": thinking}).encode(), max_nesting=50)

    def sent(model: str) -> Any:
        call = UpstreamCall(deployment_of(model), chat.messages, chat.parameters, LIMITS, source=chat.source)
        body = json.loads(GEMINI.chat.write_request(call, stream=False))
        return body["generationConfig"].get("thinkingConfig")

    assert sent(MODEL) == config
    assert sent("gemini/gemini-2.0-flash") is None


def asked_natively(**config: Any) -> ChatRequest:
    """Return the request of a client of Gemini's own API with these settings."""
    body = {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "generationConfig": config}
    return to_chat(read_fields(json.dumps(body).encode(), model="m", max_nesting=50)).chat


@pytest.mark.parametrize(
    ("thinking", "written"),
    [
        ({"includeThoughts": True}, {"includeThoughts": True}),
        ({"include_thoughts": True}, {"includeThoughts": True}),
        (
            {"includeThoughts": True, "thinkingLevel": "LOW"},
            {"includeThoughts": True, "thinkingLevel": "low"},
        ),
        ({"includeThoughts": False}, None),
        (None, None),
    ],
)
def test_client_of_gemini_s_own_api_gets_the_thoughts_that_it_asks_for(thinking: Any, written: Any) -> None:
    """A request that has to be written as a chat still asks for them."""
    chat = asked_natively(thinkingConfig=thinking)
    call = UpstreamCall(deployment_of(MODEL), chat.messages, chat.parameters, LIMITS, source=chat.source)
    body = json.loads(GEMINI.chat.write_request(call, stream=False))

    assert body.get("generationConfig", {}).get("thinkingConfig") == written


ANSWER = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}],
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "modelVersion": "gemini-3.6-flash",
}


def test_client_of_gemini_s_own_api_gets_the_answer_itself() -> None:
    """An answer of media alone is one for this client, and a fault for a client of chats."""
    chat, body = asked_natively(), json.dumps(ANSWER).encode()
    call = UpstreamCall(deployment_of(MODEL), chat.messages, chat.parameters, LIMITS, source=chat.source)

    answer = GEMINI.chat.read_answer(body, call)

    assert (answer[SOURCE].format, answer[SOURCE].event) == (GEMINI_NATIVE, ANSWER)
    assert answer["choices"][0]["finish_reason"] == "stop"
    with pytest.raises(UpstreamFault, match="only media"):
        GEMINI.chat.read_answer(body, replace(call, source=None))


def test_whole_answer_with_a_repeated_call_is_not_relayed() -> None:
    """Its client would run the call twice."""
    chat, part = asked_natively(), {"functionCall": {"id": "a", "name": "f", "args": {}}}
    candidate = {"content": {"parts": [part, part]}, "finishReason": "STOP"}
    call = UpstreamCall(deployment_of(MODEL), chat.messages, chat.parameters, LIMITS, source=chat.source)

    answer = GEMINI.chat.read_answer(json.dumps({"candidates": [candidate]}).encode(), call)

    assert SOURCE not in answer
    assert len(answer["choices"][0]["message"]["tool_calls"]) == 1


def test_client_of_gemini_s_own_api_gets_the_events_themselves() -> None:
    """A client of chats gets chunks without a source."""
    chat, event = asked_natively(), {**ANSWER, "candidates": [{"content": {"parts": [{"text": "a"}]}}]}
    call = UpstreamCall(deployment_of(MODEL), chat.messages, chat.parameters, LIMITS, source=chat.source)

    [chunk] = GEMINI.chat.read_stream(call).feed(json.dumps(event).encode())
    [plain] = GEMINI.chat.read_stream(replace(call, source=None)).feed(json.dumps(event).encode())

    assert chunk[SOURCE].event == event
    assert SOURCE not in plain
