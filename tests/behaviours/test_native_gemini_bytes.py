"""Tests that nothing changes between a client of Gemini's API and Gemini, where nothing is wrong.

The request arrives byte for byte, since the model is in the path. The answer arrives with all its values: whole, as
events, and as an array. All shapes of parts that clients were seen to send and to get are tried.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, head, piece, providing, whole
from tests.support.gemini_grammar import (
    elements_of,
    events_of,
    find_answer_faults,
    find_event_faults,
)
from tests.support.native_gemini import ANSWERS, answer_of, write_events
from tests.support.native_gemini import events_of as native_events
from tests.support.proxied import Proxied, Reply, proxied

ASKED = "ours"
"""The name of the model that the client sends."""

MODEL = "gemini-3.6-flash"
WHOLE, EVENTS, ARRAY = "whole", "events", "array"
METHODS = {
    WHOLE: "generateContent",
    EVENTS: "streamGenerateContent?alt=sse",
    ARRAY: "streamGenerateContent",
}
SENT = {
    WHOLE: "generateContent",
    EVENTS: "streamGenerateContent?alt=sse",
    ARRAY: "streamGenerateContent?alt=sse",
}
"""The method that the provider is asked. The proxy always reads events."""

EACH_FORM = pytest.mark.parametrize("form", METHODS)
CREDENTIAL = "AIza-of-the-client"

SMALL = b'{"contents":[ {"parts":[{"text":"caf\\u00e9 \\ud83d\\ude00"}],"role":"user"} ]}'

CLI = (
    b'{"contents":[{"role":"user","parts":[{"text":"<session_context>\\nHi.\\u2028"},{"text":"Go."}]},'
    b'{"role":"model","parts":[{"text":"First."},{"functionCall":{"name":"f","args":{"x": 1.0,"y":1E2},"id":"f_1_0"},'
    b'"thoughtSignature":"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="},{"functionCall":{"name":"f","args":{},'
    b'"id":"f_1_1"}}]},'
    b'{"role":"user","parts":[{"functionResponse":{"id":"f_1_0","name":"f","response":{"output":"a"}}},'
    b'{"functionResponse":{"id":"f_1_1","name":"f","response":{"rows":[{"x":1.50}],"next":null}}}]},'
    b'{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"print(1)"}},'
    b'{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"text":"One.","thoughtSignature":'
    b'"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}]},'
    b'{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},'
    b'{"fileData":{"mimeType":"video\\/mp4","fileUri":"https://www.youtube.com/watch?v=dQw4w9WgXcQ"},'
    b'"videoMetadata":{"startOffset":"1s","fps":1.0}},{"text":"And?"}]}],'
    b'"systemInstruction":{"role":"user","parts":[{"text":"You are caf\\u00e9."}]},'
    b'"tools":[ {"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":{"$schema":'
    b'"http://json-schema.org/draft-07/schema#","type":"object","properties":{"x":{"type":"number","minimum":1.0}},'
    b'"additionalProperties":false}}]},{"googleSearch":{}},{"urlContext":{}} ],'
    b'"toolConfig":{"functionCallingConfig":{"mode":"AUTO"},"includeServerSideToolInvocations":true},'
    b'"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}],"labels":{"team":"a"},'
    b'"generationConfig":{"temperature":1,"topP":0.950,"topK":64,"maxOutputTokens":4096,"stopSequences":["END"],'
    b'"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"},"mediaResolution":"MEDIA_RESOLUTION_LOW",'
    b'"seed":7},"newField":-0.0}'
)
"""A request of gemini-cli with further parts. Few JSON writers write its numbers and escapes so."""

SNAKE = (
    b'{"system_instruction":{"parts":[{"text":"Be brief."}]},"contents":[{"parts":[{"text":"Go."}],"role":"user"},'
    b'{"role":"model","parts":[{"function_call":{"name":"get_it","args":{"some_thing":"a"}},"thought_signature":'
    b'"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}]},{"role":"user","parts":[{"function_response":{"name":"get_it",'
    b'"response":{"result":"x"}}}]}],"tools":[{"function_declarations":[{"name":"get_it","parameters":{"type":"OBJECT",'
    b'"properties":{"some_thing":{"type":"STRING","nullable":true}}}}]}],"generation_config":{"max_output_tokens":64,'
    b'"thinkingConfig":{"thinking_budget":0}},"tool_config":{"function_calling_config":{"mode":"any"}}}'
)
"""A request as google-genai writes it, with the other spelling of each name."""

REQUESTS = {"small": SMALL, "cli": CLI, "snake": SNAKE}


class Asked:
    """The last request at the provider."""

    head = b""
    body = b""

    @property
    def path(self) -> str:
        """The path with its query."""
        return self.head.split()[1].decode()

    @property
    def headers(self) -> dict[str, str]:
        """The headers, by their names in lower case."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(": ") for line in lines if line)
        return {name.lower(): value for name, _, value in pairs}


@asynccontextmanager
async def answering(*pieces: bytes) -> AsyncIterator[tuple[Proxied, Asked]]:
    """Serve the proxy in front of a provider that gives the answer of *pieces*, a stream or a whole one."""
    asked = Asked()

    async def script(exchange: Exchange) -> None:
        asked.head, asked.body = exchange.head, exchange.body
        is_stream = pieces[0].startswith(b"data:")
        await exchange.send(*((head(), *map(piece, (*pieces, b""))) if is_stream else (whole(pieces[0]),)))

    async with providing(script) as server:
        parameters = {
            "model": f"gemini/{MODEL}",
            "api_base": f"http://127.0.0.1:{server.port}/v1beta",
            "api_key": KEY,
        }
        entry = {"model_name": ASKED, "litellm_params": parameters, "transport": "direct"}
        file = {"model_list": [entry], "router_settings": {"num_retries": 0}}
        settings = load_settings(json.dumps(file).encode(), {}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, asked


async def ask(proxy: Proxied, body: bytes, form: str, **headers: str) -> Reply:
    """Send a request with the client's credential."""
    sent = {"x-goog-api-key": CREDENTIAL} | headers
    return await proxy.post(body, f"/v1beta/models/{ASKED}:{METHODS[form]}", sent)


def written(name: str, form: str) -> list[bytes]:
    """Return the pieces of the provider's answer in the case *name*."""
    answer = answer_of(name)
    return [json.dumps(answer).encode()] if form == WHOLE else write_events(native_events(answer))


def exactly(raw: str | bytes) -> Any:
    """Return JSON with its keys in order, and a number that is no integer apart from an equal integer."""
    return json.loads(raw, object_pairs_hook=list, parse_float=lambda text: repr(float(text)))


@EACH_FORM
@pytest.mark.parametrize("name", REQUESTS)
async def test_request_arrives_byte_for_byte(name: str, form: str) -> None:
    async with answering(*written("text", form)) as (proxy, asked):
        reply = await ask(proxy, REQUESTS[name], form)

    assert (reply.status, asked.path) == (200, f"/v1beta/models/{MODEL}:{SENT[form]}"), reply.raw
    assert asked.body == REQUESTS[name]
    assert reply.headers.get("x-turnright-changes", "") == ""


@EACH_FORM
async def test_credential_of_the_client_does_not_arrive(form: str) -> None:
    async with answering(*written("text", form)) as (proxy, asked):
        path = f"/v1beta/models/{ASKED}:{METHODS[form]}"
        mark = "&" if "?" in path else "?"
        reply = await proxy.post(
            SMALL,
            f"{path}{mark}key={CREDENTIAL}",
            {"x-goog-api-key": CREDENTIAL, "Authorization": f"Bearer {CREDENTIAL}"},
        )

    assert (reply.status, asked.path) == (200, f"/v1beta/models/{MODEL}:{SENT[form]}"), reply.raw
    assert asked.headers["x-goog-api-key"] == KEY
    assert CREDENTIAL.encode() not in asked.head


@EACH_FORM
@pytest.mark.parametrize("name", ANSWERS)
async def test_answer_arrives_as_it_was_written(name: str, form: str) -> None:
    """The order of keys, the values, unknown fields and pieces of text are the provider's."""
    pieces = written(name, form)
    async with answering(*pieces) as (proxy, _):
        reply = await ask(proxy, CLI, form)

    assert reply.status == 200, reply.raw
    if form == WHOLE:
        assert exactly(reply.raw) == exactly(pieces[0])
        assert find_answer_faults(reply.json, relayed=True) == []
        return
    events = events_of(reply.raw) if form == EVENTS else elements_of(reply.raw)
    assert find_event_faults(events, relayed=True) == []
    came = (
        [exactly(one.removeprefix("data: ")) for one in reply.raw.decode().split("\n\n")[:-1]]
        if form == EVENTS
        else exactly(reply.raw)
    )
    assert came == [exactly(one.strip().removeprefix(b"data: ")) for one in pieces]


@EACH_FORM
async def test_blocked_prompt_arrives_as_it_was_written(form: str) -> None:
    blocked = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "safetyRatings": []},
        "usageMetadata": {"promptTokenCount": 7, "totalTokenCount": 7},
        "modelVersion": "m",
        "responseId": "r",
    }
    raw = json.dumps(blocked)
    async with answering(raw.encode() if form == WHOLE else f"data: {raw}\r\n\r\n".encode()) as (proxy, _):
        reply = await ask(proxy, SMALL, form)

    assert reply.status == 200, reply.raw
    told = events_of(reply.raw) if form == EVENTS else reply.json
    assert told == (blocked if form == WHOLE else [blocked])


@EACH_FORM
async def test_candidates_arrive_as_they_were_written(form: str) -> None:
    """Each of several candidates keeps its index, and its place among the events."""
    body = b'{"contents":[{"parts":[{"text":"Go."}]}],"generationConfig":{"candidateCount":2}}'
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9}

    def candidate(index: int, text: str) -> dict[str, Any]:
        content = {"parts": [{"text": text}], "role": "model"}
        return {"content": content, "finishReason": "STOP", "index": index}

    events: list[dict[str, Any]] = [
        {"candidates": [candidate(at, text)], "usageMetadata": usage, "modelVersion": "m", "responseId": "r"}
        for at, text in enumerate(("a", "b"))
    ]
    answer = {**events[0], "candidates": [one["candidates"][0] for one in events]}
    pieces = [json.dumps(answer).encode()] if form == WHOLE else write_events(iter(events))
    async with answering(*pieces) as (proxy, asked):
        reply = await ask(proxy, body, form)

    assert (reply.status, asked.body) == (200, body), reply.raw
    told = events_of(reply.raw) if form == EVENTS else reply.json
    assert told == (answer if form == WHOLE else events)
