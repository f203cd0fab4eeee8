"""Tests of Gemini's embeddings, with a provider of OpenAI's and with Gemini itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.ingress.formats import BATCH_EMBED_CONTENTS, EMBED_CONTENT
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.ingress.routes.gemini.asking import error_of, fields_of
from tests.proxy.upstream.provider import Exchange, providing, whole
from tests.support.proxied import Reply, proxied, settings_of

ONE, BATCH = "/v1beta/models/m:embedContent", "/v1/models/m:batchEmbedContents"
HI = {"content": {"parts": [{"text": "Hi."}]}, "taskType": "RETRIEVAL_QUERY", "outputDimensionality": 2}
OPENAIS = b'{"object":"list","data":[{"index":0,"embedding":[0.5,1.0]}],"model":"e"}'


async def embedded(model: str, answer: bytes, path: str, body: Any) -> tuple[Reply, list[Exchange], float]:
    """Return the answer to *body*, what the provider got, and the count of requests to *path* that went well."""
    asked: list[Exchange] = []

    async def script(exchange: Exchange) -> None:
        asked.append(exchange)
        await exchange.send(whole(answer))

    async with providing(script) as server:
        params = {"model": model, "api_key": "sk-theirs", "api_base": f"http://127.0.0.1:{server.port}"}
        settings = settings_of(model_list=[{"model_name": "m", "litellm_params": params}])
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post(body, path)
            route = BATCH_EMBED_CONTENTS if path == BATCH else EMBED_CONTENT
            return reply, asked, await proxy.count("requests_total", route=route, outcome="ok")


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        (ONE, HI, {"embedding": {"values": [0.5, 1.0]}}),
        (BATCH, {"requests": [HI]}, {"embeddings": [{"values": [0.5, 1.0]}]}),
    ],
)
async def test_model_of_another_provider_embeds(path: str, body: Any, expected: Any) -> None:
    """Fields that only Gemini knows are left out."""
    reply, [asked], count = await embedded("openai/text-embedding-3-small", OPENAIS, path, body)

    assert (reply.status, reply.json, count) == (200, expected, 1)
    sent = json.loads(asked.body)
    assert (sent["input"], sent["dimensions"], "taskType" in sent) == (["Hi."], 2, False)


async def test_gemini_gets_its_own_fields() -> None:
    answer = b'{"embedding":{"values":[0.5,1.0]}}'
    reply, [asked], _ = await embedded("gemini/gemini-embedding-001", answer, ONE, HI)

    assert reply.json == {"embedding": {"values": [0.5, 1.0]}}
    sent = json.loads(asked.body)
    assert {name: sent[name] for name in ("content", "outputDimensionality", "taskType")} == HI


async def test_faulty_request_is_refused_with_its_path() -> None:
    reply, asked, _ = await embedded("openai/x", OPENAIS, BATCH, {"requests": [{"content": {"parts": [{}]}}]})
    unknown, _, _ = await embedded("openai/x", OPENAIS, "/v1/models/nobody:embedContent", HI)

    assert (error_of(reply)[0], fields_of(reply), asked) == (400, ["requests[0].content.parts[0]"], [])
    assert error_of(unknown)[:2] == (404, "NOT_FOUND")
