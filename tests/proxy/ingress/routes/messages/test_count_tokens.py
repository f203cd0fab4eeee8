"""Tests of ``POST /v1/messages/count_tokens``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.ingress.routes.messages.asking import VERSION, error_of, serving
from tests.proxy.upstream.provider import Exchange, providing, whole
from tests.support.proxied import Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

PATH = "/v1/messages/count_tokens"
TOOL = {"name": "f", "description": "x " * 300, "input_schema": {"type": "object", "properties": {}}}


@pytest.mark.parametrize("path", [PATH, "/messages/count_tokens", "/v1/v1/messages/count_tokens?beta=true"])
async def test_tokens_are_estimated_without_a_call(path: str) -> None:
    body = {"model": "claude-gem", "messages": [{"role": "user", "content": "word " * 400}]}
    async with serving() as (proxy, upstream):
        reply = await proxy.post(body, path, VERSION)
        more = await proxy.post({**body, "tools": [TOOL], "system": "Be brief."}, path, VERSION)

    assert reply.json.keys() == {"input_tokens"}
    assert 200 < reply.json["input_tokens"] < 1200
    assert more.json["input_tokens"] > reply.json["input_tokens"] + 100
    assert reply.headers["request-id"] == reply.headers["x-request-id"]
    assert upstream.calls == []


async def test_request_that_is_too_long_is_counted_too() -> None:
    """The client wants to know how far it is over the limit."""
    entry = {
        "model_name": "small",
        "litellm_params": {"model": "openai/gpt-4o"},
        "model_info": {"max_input_tokens": 16_384},
    }
    settings = load_settings(json.dumps({"model_list": [entry]}).encode(), {}).settings
    async with proxied(settings, ScriptedUpstream()) as proxy:
        body: dict[str, Any] = {"model": "small", "messages": [{"role": "user", "content": "Hi."}]}
        body["system"] = "".join(map(str, range(20_000)))
        reply = await proxy.post(body, PATH, VERSION)

    assert reply.status == 200
    assert reply.json["input_tokens"] > 10_000


async def test_faulty_request_is_refused_with_its_path() -> None:
    async with serving() as (proxy, _):
        reply = await proxy.post({"model": "claude-gem", "messages": [1]}, PATH, VERSION)

    assert error_of(reply) == (400, "invalid_request_error", "messages.0: Input should be a valid dictionary")


async def test_content_that_only_claude_can_read_is_refused() -> None:
    """An estimate without it would be wrong, and the request itself would be refused as well."""
    block = {"type": "document", "source": {"type": "file", "file_id": "file_1"}}
    body = {"model": "claude-gem", "messages": [{"role": "user", "content": [block]}]}
    async with serving() as (proxy, _):
        reply = await proxy.post(body, PATH, VERSION)

    status, _, said = error_of(reply)
    assert status == 400
    assert said.startswith("messages.0.content.0")


TWO = [{"role": "user", "content": "Hi."}, {"role": "system", "content": "Be brief."}]


async def counted(
    entry: dict[str, Any], *, status: int = 200, path: str = PATH
) -> tuple[Reply, list[Exchange]]:
    """Return the answer to a count, and what the provider got. The provider answers with 77 and *status*."""
    asked: list[Exchange] = []

    async def script(exchange: Exchange) -> None:
        asked.append(exchange)
        state = "200 OK" if status == 200 else f"{status} Refused"
        await exchange.send(whole(b'{"input_tokens":77}', status=state))

    async with providing(script) as server:
        params = {
            "model": entry.pop("model", "anthropic/claude-opus-4-8"),
            "api_key": "sk-theirs",
            "api_base": f"http://127.0.0.1:{server.port}",
        }
        settings = settings_of(model_list=[{"model_name": "m", "litellm_params": params, **entry}])
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            body = {"model": "m", "messages": TWO, "context_management": {"edits": []}}
            headers = {**VERSION, "anthropic-beta": "a", "x-api-key": "sk-of-the-client"}
            return await proxy.post(body, path, headers), asked


async def test_claude_is_asked_where_the_entry_says_so() -> None:
    reply, [asked] = await counted({"count_tokens": "provider"}, path=f"{PATH}?beta=true")

    assert (reply.status, reply.json) == (200, {"input_tokens": 77})
    assert asked.head.startswith(b"POST /v1/messages/count_tokens?beta=true ")
    assert b"sk-of-the-client" not in asked.head
    assert b"sk-theirs" in asked.head
    body = json.loads(asked.body)
    assert (body["model"], body["messages"]) == ("claude-opus-4-8", TWO)
    assert body["context_management"] == {"edits": []}


@pytest.mark.parametrize(
    "entry",
    [{}, {"count_tokens": "estimate"}, {"count_tokens": "provider", "model": "gemini/gemini-3.6-flash"}],
)
async def test_nobody_is_asked_by_default(entry: dict[str, Any]) -> None:
    reply, asked = await counted(entry)

    assert reply.status == 200
    assert reply.json["input_tokens"] != 77
    assert asked == []


@pytest.mark.parametrize("status", [404, 429, 529])
async def test_estimate_is_answered_where_the_provider_fails(status: int) -> None:
    reply, asked = await counted({"count_tokens": "provider"}, status=status)

    assert reply.status == 200
    assert 0 < reply.json["input_tokens"] < 77
    assert len(asked) == 1
