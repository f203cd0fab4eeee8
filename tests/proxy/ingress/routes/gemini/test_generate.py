"""Tests of ``generateContent`` and ``streamGenerateContent`` on a real socket."""

from __future__ import annotations

import io
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.ingress.formats import GENERATE_CONTENT, STREAM_GENERATE_CONTENT
from tests.proxy.ingress.routes.gemini.asking import GENERATE, KEYS, STREAM, ask, error_of, fields_of, serving
from tests.support.gemini_grammar import (
    answer_of,
    elements_of,
    events_of,
    find_answer_faults,
    find_array_faults,
    find_stream_faults,
)
from tests.support.scripted_upstream import STOP, answer, chunk, say

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
TOOLS = [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {}}}]}]
SSE = f"{STREAM}?alt=sse"


async def test_whole_answer_has_geminis_form() -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, systemInstruction={"parts": [{"text": "Be brief."}]})

    assert (reply.status, find_answer_faults(reply.json)) == (200, [])
    [candidate] = reply.json["candidates"]
    assert candidate["content"] == {"parts": [{"text": "Good day."}], "role": "model"}
    assert reply.json["usageMetadata"]["promptTokenCount"] == 7
    [call] = upstream.calls
    assert [message["role"] for message in call.messages] == ["system", "user"]


@pytest.mark.parametrize("path", [SSE, f"{STREAM}?%24alt=sse", f"{STREAM}?$alt=sse"])
async def test_stream_of_events_follows_the_grammar(path: str) -> None:
    async with serving() as (proxy, _):
        reply = await ask(proxy, path=path)

    assert reply.headers["Content-Type"].startswith("text/event-stream")
    assert find_stream_faults(reply.raw) == []
    assert answer_of(events_of(reply.raw))["candidates"][0]["parts"] == [{"text": "Good day."}]


@pytest.mark.parametrize("query", ["", "?alt=json", "?alt="])
async def test_stream_without_events_is_one_array(query: str) -> None:
    async with serving() as (proxy, _):
        reply = await ask(proxy, path=f"{STREAM}{query}")

    assert reply.headers["Content-Type"].startswith("application/json")
    assert find_array_faults(reply.raw) == []
    assert answer_of(elements_of(reply.raw))["candidates"][0]["parts"] == [{"text": "Good day."}]


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/v1/models/gpt:generateContent", "gpt"),
        ("/v1alpha/models/gpt:generateContent", "gpt"),
        ("/models/gpt:generateContent", "gpt"),
        ("/v1/v1beta/models/gpt:generateContent", "gpt"),
        ("/v1beta/models/models/gpt:generateContent", "gpt"),
        ("/v1beta/models/gpt%3AgenerateContent", "gpt"),
        ("/v1beta/models/openai%2Fgpt-4.1:generateContent", "openai/gpt-4.1"),
        ("/v1beta/models%2fopenai%2Fgpt-4.1:generateContent", "openai/gpt-4.1"),
        ("/v1beta/models/openai/gpt-4.1:free:generateContent", "openai/gpt-4.1:free"),
        ("/v1/projects/p/locations/l/publishers/google/models/gpt:generateContent", "gpt"),
        ("/v1beta1/publishers/openai/models/gpt-4.1:generateContent", "openai/gpt-4.1"),
    ],
)
async def test_path_has_many_spellings_and_one_name(path: str, model: str) -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, path=path)
        count = await proxy.count("requests_total", route=GENERATE_CONTENT, outcome="ok")

    assert (reply.status, count) == (200, 1)
    assert upstream.calls[0].deployment.model == {"gpt": "openai/gpt-4o"}.get(model, model)


@pytest.mark.parametrize(
    "model",
    ["openai/..%2F..%2Fx", "openai/%2e%2e/x", "openai/.", "openai/a%00b", "openai/a%3Fb", "openai/a%23b"],
)
async def test_name_in_the_path_leads_nowhere_but_to_a_model(model: str) -> None:
    """A name becomes a part of the provider's address."""
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, path=f"/v1beta/models/{model}:generateContent")

    assert error_of(reply)[0] == 404
    assert upstream.calls == []


async def test_call_goes_to_the_client_and_its_result_comes_back_without_an_id() -> None:
    """google-genai sends no ids back."""
    async with serving([answer(None, tool_calls=[CALL])]) as (proxy, upstream):
        first = await ask(proxy, tools=TOOLS)
        content = first.json["candidates"][0]["content"]
        result = {"functionResponse": {"name": "f", "response": {"result": "42"}}}
        history = [
            {"role": "user", "parts": [{"text": "Hello."}]},
            content,
            {"role": "user", "parts": [result]},
        ]
        await ask(proxy, history, tools=TOOLS)

    assert content["parts"] == [{"functionCall": {"id": "call_1", "name": "f", "args": {"a": 1}}}]
    assert [message["role"] for message in upstream.calls[1].messages] == ["user", "assistant", "tool"]


async def test_pieces_of_a_call_are_one_part() -> None:
    pieces = [
        chunk({"tool_calls": [{**CALL, "index": 0, "function": {"name": "f", "arguments": ""}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}),
    ]
    async with serving([*pieces, chunk(finish="tool_calls")]) as (proxy, _):
        reply = await ask(proxy, path=SSE, tools=TOOLS)

    assert find_stream_faults(reply.raw) == []
    [candidate] = answer_of(events_of(reply.raw))["candidates"]
    assert candidate["parts"] == [{"functionCall": {"id": "call_1", "name": "f", "args": {"a": 1}}}]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"contents": []}, "contents"),
        ({"contents": [1]}, "contents[0]"),
        ({"contents": [{"parts": [{"text": 5}]}]}, "contents[0].parts[0].text"),
        ({"generationConfig": {"topP": "x"}}, "generationConfig.topP"),
        ({"generation_config": []}, "generationConfig"),
        ({"tools": [{"functionDeclarations": [{}]}]}, "tools[0].functionDeclarations[0].name"),
        ({"cachedContent": "cachedContents/x"}, "cachedContent"),
        ({"tools": [{"googleSearch": {}}]}, "tools"),
    ],
)
@pytest.mark.parametrize("path", [GENERATE, SSE])
async def test_faulty_request_is_a_400_with_its_path(path: str, fields: dict[str, Any], field: str) -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, path=path, **fields)

    assert error_of(reply)[:2] == (400, "INVALID_ARGUMENT")
    assert [one.startswith(field) for one in fields_of(reply)] == [True], fields_of(reply)
    assert upstream.calls == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff", b'{"contents":' + b"[" * 3000])
async def test_body_that_is_no_request_is_a_400(body: bytes) -> None:
    async with serving() as (proxy, upstream):
        reply = await proxy.post(body, GENERATE)

    assert error_of(reply)[:2] == (400, "INVALID_ARGUMENT")
    assert upstream.calls == []


@pytest.mark.parametrize(
    ("given", "code", "status"),
    [
        (429, 429, "RESOURCE_EXHAUSTED"),
        (500, 500, "INTERNAL"),
        (503, 503, "UNAVAILABLE"),
        (529, 503, "UNAVAILABLE"),
        (504, 504, "DEADLINE_EXCEEDED"),
        (422, 400, "INVALID_ARGUMENT"),
    ],
)
@pytest.mark.parametrize("path", [GENERATE, SSE])
async def test_failure_of_the_provider_has_googles_status(
    path: str, given: int, code: int, status: str
) -> None:
    async with serving([UpstreamFault("It failed.", upstream_status=given)]) as (proxy, _):
        reply = await ask(proxy, path=path)

    assert error_of(reply)[:2] == (code, status)


@pytest.mark.parametrize("path", [SSE, STREAM])
async def test_stream_that_breaks_off_ends_with_an_error(path: str) -> None:
    """google-genai takes a silent end for a whole answer."""
    async with serving([say("Good "), UpstreamFault("It broke.")]) as (proxy, _):
        reply = await ask(proxy, path=path)

    events = events_of(reply.raw) if path == SSE else elements_of(reply.raw)
    assert events[-1]["error"]["message"] == "It broke."
    assert b"finishReason" not in reply.raw


async def test_key_in_the_query_is_shown_nowhere(log_text: io.StringIO) -> None:
    """The key is that of one client, and another's is refused as any wrong one."""
    async with serving(general_settings=KEYS) as (proxy, upstream):
        good = await ask(proxy, path=f"{GENERATE}?key=sk-ann-000000")
        wrong = await ask(proxy, path=f"{GENERATE}?key=sk-ann-000001")
        exposed = await proxy.get("/metrics")

    assert (good.status, error_of(wrong)[:2]) == (200, (401, "UNAUTHENTICATED"))
    logged = log_text.getvalue()
    assert '"key":"ann"' in logged.replace(" ", "")
    for text in (good.raw, wrong.raw, exposed.raw, logged.encode(), repr(upstream.calls).encode()):
        assert b"sk-ann" not in text


async def test_thoughts_are_shown_only_where_they_are_asked_for() -> None:
    thought = answer("Good day.", reasoning_content="Hm.")
    async with serving([thought], [thought]) as (proxy, _):
        plain = await ask(proxy)
        thinking = await ask(proxy, generationConfig={"thinkingConfig": {"include_thoughts": True}})

    assert [one.get("thought") for one in plain.json["candidates"][0]["content"]["parts"]] == [None]
    assert [one.get("thought") for one in thinking.json["candidates"][0]["content"]["parts"]] == [True, None]


async def test_methods_have_their_own_names_in_metrics() -> None:
    async with serving([say("x"), STOP]) as (proxy, _):
        await ask(proxy, path=SSE)

        assert await proxy.count("requests_total", route=STREAM_GENERATE_CONTENT, outcome="ok") == 1
