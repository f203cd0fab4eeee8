"""Tests of ``POST /v1/messages`` on a real socket."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.core.errors import ContextTooLong, UpstreamFault
from tests.proxy.ingress.routes.messages.asking import KEYS, PATH, VERSION, ask, error_of, request, serving
from tests.support.messages_grammar import find_message_faults, find_stream_faults, message_of
from tests.support.proxied import proxied
from tests.support.scripted_upstream import STOP, ScriptedUpstream, answer, chunk, say

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
TOOL = {"name": "f", "input_schema": {"type": "object", "properties": {}}}


async def test_whole_answer_is_a_message_with_the_asked_model() -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, system="Be brief.")

    assert (reply.status, find_message_faults(reply.json)) == (200, [])
    assert (reply.json["model"], reply.json["stop_reason"]) == ("claude-gpt", "end_turn")
    assert reply.json["content"] == [{"type": "text", "text": "Good day."}]
    assert reply.json["usage"]["input_tokens"] == 7
    assert reply.headers["request-id"] == reply.headers["x-request-id"]
    [call] = upstream.calls
    assert [message["role"] for message in call.messages] == ["system", "user"]


async def test_stream_follows_the_grammar() -> None:
    async with serving() as (proxy, _):
        reply = await ask(proxy, stream=True)

    assert reply.headers["Content-Type"].startswith("text/event-stream")
    assert reply.headers["request-id"] == reply.headers["x-request-id"]
    assert find_stream_faults(reply.raw) == []
    message = message_of(reply.raw)
    assert (message["model"], message["content"]) == ("claude-gpt", [{"type": "text", "text": "Good day."}])


async def test_start_of_a_stream_has_an_estimate_and_its_end_the_truth() -> None:
    usage = {"prompt_tokens": 700, "completion_tokens": 3, "total_tokens": 703}
    async with serving([say("x"), STOP, chunk(usage=usage)]) as (proxy, _):
        reply = await ask(proxy, "word " * 200, stream=True)

    first = reply.raw.split(b"\n\n")[0]
    assert b'"input_tokens":0' not in first
    assert b'"input_tokens":1,' not in first
    assert message_of(reply.raw)["usage"]["input_tokens"] == 700


@pytest.mark.parametrize("path", ["/messages", "/v1/v1/messages", "/v1/messages?beta=true"])
async def test_path_has_several_spellings(path: str) -> None:
    async with serving() as (proxy, _):
        assert (await ask(proxy, path=path)).status == 200
        metrics = await proxy.metrics()

    counts = [
        (dict(labels)["route"], n)
        for (name, labels), n in metrics.items()
        if name == "turnright_requests_total"
    ]
    routes = {route for route, count in counts if count}
    assert routes == {PATH}


async def test_call_goes_to_the_client_and_its_result_comes_back() -> None:
    async with serving([answer(None, tool_calls=[CALL])]) as (proxy, upstream):
        first = await ask(proxy, tools=[TOOL])
        [block] = first.json["content"]
        result = {"type": "tool_result", "tool_use_id": block["id"], "content": "42"}
        history = [
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": first.json["content"]},
            {"role": "user", "content": [result]},
        ]
        await ask(proxy, history, tools=[TOOL])

    assert (first.json["stop_reason"], block["input"]) == ("tool_use", {"a": 1})
    assert [message["role"] for message in upstream.calls[1].messages] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("stream", [False, True])
async def test_signature_of_a_call_comes_back_without_the_store(stream: bool) -> None:
    """The thinking block before the call carries it to a process that has never seen the call."""
    signed = {**CALL, "extra_content": {"google": {"thought_signature": "c2lnbmF0dXJl"}}}
    reply = (
        [chunk({"tool_calls": [{**signed, "index": 0}]}), STOP]
        if stream
        else [answer(None, tool_calls=[signed])]
    )
    fields: dict[str, Any] = {"tools": [TOOL], "model": "claude-gem", "thinking": {"type": "adaptive"}}
    async with serving(reply) as (proxy, _):
        first = await ask(proxy, stream=stream, **fields)
    content = (message_of(first.raw) if stream else first.json)["content"]
    assert [block["type"] for block in content] == ["thinking", "tool_use"]
    result = {"type": "tool_result", "tool_use_id": content[1]["id"], "content": "42"}
    history = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": content},
        {"role": "user", "content": [result]},
    ]
    async with serving() as (proxy, upstream):
        await ask(proxy, history, **fields)

    [call] = upstream.calls[0].messages[1]["tool_calls"]
    assert call["extra_content"]["google"]["thought_signature"] == "c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"max_tokens": None}, "max_tokens: Field required"),
        ({"messages": []}, "messages: at least one message is required"),
        ({"messages": [{"role": "user", "content": [{"type": 5}]}]}, "messages.0.content.0.type: "),
        ({"tools": [{}]}, "tools.0.name: Field required"),
        ({"mcp_servers": [{"url": "https://x"}]}, "mcp_servers: "),
        ({"container": "c"}, "container: "),
        (
            {"messages": [{"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}]},
            "messages.0.content.0.file_id: ",
        ),
    ],
)
async def test_faulty_request_is_a_400_with_its_path(fields: dict[str, Any], message: str) -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, **fields)

    status, kind, said = error_of(reply)
    assert (status, kind) == (400, "invalid_request_error")
    assert said.startswith(message)
    assert reply.headers["x-should-retry"] == "false"
    assert upstream.calls == []


async def test_unknown_fields_are_dropped_and_reported() -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, metadata={"user_id": "x"}, speed="fast", context_management={"edits": []})
        metrics = await proxy.metrics()

    assert reply.status == 200
    assert upstream.calls[0].parameters.keys() == {"max_tokens"}
    assert any(name == "turnright_dropped_parameters_total" for name, _ in metrics)


@pytest.mark.parametrize("stream", [False, True])
async def test_overflow_says_anthropics_words(stream: bool) -> None:
    """Claude Code compacts its conversation on these words alone."""
    words = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
    )
    async with serving([UpstreamFault(words, upstream_status=400)]) as (proxy, _):
        reply = await ask(proxy, stream=stream)

    assert error_of(reply) == (
        400,
        "invalid_request_error",
        "prompt is too long: 9001 tokens > 8192 maximum",
    )


async def test_overflow_before_sending_says_anthropics_words() -> None:
    entry = {
        "model_name": "claude-gpt",
        "litellm_params": {"model": "openai/gpt-4o"},
        "model_info": {"max_input_tokens": 16_384},
    }
    settings = load_settings(json.dumps({"model_list": [entry]}).encode(), {}).settings
    upstream = ScriptedUpstream()
    async with proxied(settings, upstream) as proxy:
        reply = await ask(proxy, system="".join(map(str, range(20_000))))

    status, _, said = error_of(reply)
    assert status == 400
    assert said.startswith("prompt is too long: ")
    assert upstream.calls == []
    assert ContextTooLong.code == reply.json["error"]["details"]["error_code"]


@pytest.mark.parametrize(
    ("given", "status", "kind"),
    [
        (503, 529, "overloaded_error"),
        (529, 529, "overloaded_error"),
        (500, 500, "api_error"),
        (502, 502, "api_error"),
        (504, 504, "timeout_error"),
        (429, 429, "rate_limit_error"),
        (403, 403, "permission_error"),
        (422, 400, "invalid_request_error"),
    ],
)
async def test_failure_of_the_provider_has_anthropics_status_and_type(
    given: int, status: int, kind: str
) -> None:
    async with serving([UpstreamFault("It failed.", upstream_status=given)]) as (proxy, _):
        reply = await ask(proxy)

    assert error_of(reply)[:2] == (status, kind)


async def test_stream_that_breaks_off_ends_with_an_error() -> None:
    """Claude Code then asks again, and takes a silent end for a whole answer."""
    async with serving([say("Good "), UpstreamFault("It broke.")]) as (proxy, _):
        reply = await ask(proxy, stream=True)

    assert find_stream_faults(reply.raw) == []
    assert b"event: error" in reply.raw
    assert b"message_stop" not in reply.raw


@pytest.mark.parametrize(
    "headers", [{"x-api-key": "sk-ann-000000"}, {"Authorization": "Bearer sk-ann-000000"}]
)
async def test_key_comes_in_either_header(headers: dict[str, str]) -> None:
    async with serving(general_settings=KEYS) as (proxy, _):
        assert (await ask(proxy, headers=headers)).status == 200


@pytest.mark.parametrize("headers", [{}, {"x-api-key": "sk-wrong"}, {"Authorization": "Bearer sk-wrong"}])
async def test_wrong_key_is_a_permanent_401(headers: dict[str, str]) -> None:
    async with serving(general_settings=KEYS) as (proxy, upstream):
        reply = await proxy.post(request(), PATH, {**VERSION, **headers})

    assert error_of(reply)[:2] == (401, "authentication_error")
    assert reply.headers["x-should-retry"] == "false"
    assert upstream.calls == []


async def test_too_large_body_is_a_413_in_the_envelope() -> None:
    async with serving(general_settings={"max_body_mib": 1}) as (proxy, _):
        reply = await ask(proxy, "x" * 2**21)

    assert error_of(reply)[:2] == (413, "request_too_large")


async def test_unknown_model_is_a_404_that_names_the_field() -> None:
    async with serving() as (proxy, _):
        reply = await ask(proxy, model="nobody")

    status, kind, said = error_of(reply)
    assert (status, kind) == (404, "not_found_error")
    assert said.startswith("model: ")


async def test_thoughts_are_shown_only_where_they_are_asked_for() -> None:
    thought = answer("Good day.", reasoning_content="Hm.")
    async with serving([thought], [thought]) as (proxy, _):
        plain = await ask(proxy)
        thinking = await ask(proxy, thinking={"type": "enabled", "budget_tokens": 1024})

    assert [block["type"] for block in plain.json["content"]] == ["text"]
    assert [block["type"] for block in thinking.json["content"]] == ["thinking", "text"]
