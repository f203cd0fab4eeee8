"""Tests that a deployment's parameters, body fields, headers and ``stream`` reach the provider."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from proxy.upstream.select_transport import SelectingUpstream
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import chat, proxied, settings_of


async def asked(params: dict[str, Any], **fields: Any) -> tuple[Any, Any]:
    """Send one chat with *fields* to a deployment with *params*. Return the provider's request and the answer."""
    async with serving_openai() as provider:
        models = {
            "gemini": {"model": "openai/gpt-4.1", "api_base": provider.base_url, "api_key": "k", **params}
        }
        settings = settings_of(models)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post(chat(**fields))
        assert reply.status == 200
        (received,) = provider.requests
        return received, reply


async def test_default_parameter_is_sent_where_the_request_has_none() -> None:
    """The request's own value goes before the deployment's default."""
    received, _ = await asked({"temperature": 0.25, "max_tokens": 99}, max_tokens=5)

    assert (received.body["temperature"], received.body["max_tokens"]) == (0.25, 5)


async def test_extra_body_and_headers_reach_the_provider() -> None:
    """A deployment's ``headers`` and ``extra_headers`` both reach the provider as headers."""
    received, _ = await asked(
        {
            "extra_body": {"provider": {"order": ["a"]}},
            "headers": {"X-One": "1"},
            "extra_headers": {"X-Two": "2"},
        }
    )

    assert received.body["provider"] == {"order": ["a"]}
    assert (received.headers["X-One"], received.headers["X-Two"]) == ("1", "2")


@pytest.mark.parametrize("provider", ["ollama", "ollama_chat"])
async def test_parameters_of_ollama_stand_where_ollama_looks_for_them(provider: str) -> None:
    """Ollama gets ``num_ctx`` among the ``options`` of the request's body.

    Ollama's chat path gets ``keep_alive`` at the top level of the body.
    """
    received: list[Any] = []

    async def record(request: web.Request) -> web.Response:
        received.append(await request.json())
        return web.json_response({"error": "no"}, status=400)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", record)
    async with TestServer(app) as server:
        base = str(server.make_url("")).rstrip("/")
        params = {"model": f"{provider}/llama3.1", "api_base": base, "num_ctx": 8192, "keep_alive": "5m"}
        settings = settings_of({"gemini": params})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            await proxy.post(chat())

    sent = next(body for body in received if "options" in body)
    assert sent["options"]["num_ctx"] == 8192
    assert provider == "ollama" or sent["keep_alive"] == "5m"
    assert "extra_body" not in json.dumps(sent)


@pytest.mark.parametrize(
    ("model", "address", "fields"),
    [
        ("anthropic/claude-sonnet-4-5", "api_base", ()),
        ("bedrock/amazon.nova-pro-v1:0", "aws_bedrock_runtime_endpoint", ("additionalModelRequestFields",)),
    ],
)
async def test_extra_body_and_region_reach_the_providers_of_litellm(
    model: str, address: str, fields: tuple[str, ...]
) -> None:
    """``extra_body`` is unpacked into the provider's own fields, and Bedrock's signature names the region."""
    received: list[tuple[Any, str]] = []

    async def record(request: web.Request) -> web.Response:
        received.append((await request.json(), request.headers.get("Authorization", "")))
        return web.json_response({"message": "no"}, status=400)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", record)
    params = {"model": model, "api_key": "k", "region_name": "eu-west-1", "extra_body": {"x_foo": 1}}
    if model.startswith("bedrock/"):
        del params["api_key"]
        params |= {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    async with TestServer(app) as server:
        settings = settings_of({"gemini": {**params, address: str(server.make_url("")).rstrip("/")}})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            assert (await proxy.post(chat())).status == 400

    (body, authorization), *_ = received
    assert "extra_body" not in json.dumps(body)
    for field in fields:
        body = body[field]
    assert body["x_foo"] == 1
    assert model.startswith("anthropic") or "/eu-west-1/bedrock/" in authorization


@pytest.mark.parametrize("way", [True, False])
@pytest.mark.parametrize("wanted", [True, False])
async def test_client_gets_the_answer_in_the_way_that_it_asked_for(way: bool, wanted: bool) -> None:
    """A deployment's ``stream`` decides only whether the provider streams, not whether the client gets a stream."""
    received, reply = await asked({"stream": way}, stream=wanted)

    assert received.body.get("stream", False) is way
    if wanted:
        assert reply.events[-1] == "[DONE]"
        choices = [choice for event in reply.events[:-1] for choice in event["choices"]]
        text = "".join(choice["delta"].get("content") or "" for choice in choices)
    else:
        text = reply.json["choices"][0]["message"]["content"]
        assert reply.json["choices"][0]["finish_reason"] == "stop"
    assert "You wrote 6 characters." in text
