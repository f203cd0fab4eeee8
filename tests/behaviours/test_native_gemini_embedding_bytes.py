"""Tests that embeddings between a client of Gemini's API and Gemini stay as they are, but for the model's name.

Other providers get texts, or the client gets a 400 and they get nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, providing, whole
from tests.support.proxied import Reply, proxied

ASKED, MODEL = "ours", "gemini-embedding-2-preview"
ONE, BATCH = "embedContent", "batchEmbedContents"
IMAGE = b'{"inlineData":{"mimeType":"image\\/png","data":"iVBORw0KGgo="}}'
CONTENT = b'{ "role":"user","parts":[{"text":"caf\\u00e9 \\ud83d\\ude00"}, {"text":"b"},' + IMAGE + b"]}"
FILE = b'{"content":{"parts":[{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/a"}}]}}'

BODIES = {
    ONE: b'{ "content":'
    + CONTENT
    + b', "task_type":"RETRIEVAL_QUERY","outputDimensionality":2.0,"newField":-0.0}',
    BATCH: b'{"requests":[{"model":"models/%s","content":'
    + CONTENT
    + b',"taskType":"RETRIEVAL_DOCUMENT","title":"a","outputDimensionality":2},{"content":'
    b'{"parts":[{"text":"c"}]},"taskType":"CLUSTERING","output_dimensionality":"3","model":"models/%s"}]}',
}
ANSWERS = {
    ONE: b'{"embedding":{"values":[0.10,-2e-05],"statistics":{"tokenCount":3},"shape":[2]},"usageMetadata":{"x":[]}}',
    BATCH: b'{"embeddings":[{"values":[0.5,1]},{"values":[1.0,2,3]}],"usageMetadata":{"promptTokenCount":5,"y":1.0}}',
}


async def ask(
    body: bytes, method: str, model: str = f"gemini/{MODEL}", answer: bytes = b"", keys: int = 0, **entry: Any
) -> tuple[Reply, list[Exchange]]:
    """Return the answer to *body*, and what the provider got. *keys* are the keys of clients."""
    asked: list[Exchange] = []

    async def script(exchange: Exchange) -> None:
        asked.append(exchange)
        await exchange.send(whole(answer or ANSWERS[method]))

    async with providing(script) as server:
        parameters = {"model": model, "api_base": f"http://127.0.0.1:{server.port}/v1beta", "api_key": KEY}
        file: dict[str, Any] = {
            "model_list": [
                {"model_name": ASKED, "litellm_params": parameters, "transport": "direct", **entry}
            ],
            "router_settings": {"num_retries": 0},
        }
        headers: Mapping[str, str] = {}
        if keys:
            file["general_settings"] = {
                "keys": [{"name": f"k{at}", "key": f"sk-{at}-0123456789"} for at in range(keys)]
            }
            headers = {"x-goog-api-key": "sk-0-0123456789"}
        settings = load_settings(json.dumps(file).encode(), {}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            return await proxy.post(body, f"/v1beta/models/{ASKED}:{method}", {**headers}), asked


def named(body: bytes, model: str) -> bytes:
    """Return *body* with *model* wherever it names one."""
    return body.replace(b"models/%s", b"models/" + model.encode())


@pytest.mark.parametrize("method", [ONE, BATCH])
@pytest.mark.parametrize("model", [ASKED, MODEL, "../../evil"])
async def test_request_and_answer_arrive_as_they_came(method: str, model: str) -> None:
    """The body's model decides nothing: it becomes the one that the path's name stands for."""
    reply, [asked] = await ask(named(BODIES[method], model), method)

    assert reply.status == 200, reply.raw
    assert asked.head.split()[1] == f"/v1beta/models/{MODEL}:{method}".encode()
    assert asked.body == named(BODIES[method], MODEL)
    assert json.loads(reply.raw, object_pairs_hook=list) == json.loads(
        ANSWERS[method], object_pairs_hook=list
    )
    assert "x-turnright-dropped" not in reply.headers


async def test_batch_over_the_limit_of_gemini_keeps_the_fields_of_each_request() -> None:
    requests = [
        {"content": {"parts": [{"text": str(at)}]}, "title": str(at), "model": f"models/{MODEL}"}
        for at in range(200)
    ]
    answer = json.dumps({"embeddings": [{"values": [1.0]}] * 100, "usageMetadata": {}}).encode()
    reply, asked = await ask(json.dumps({"requests": requests}).encode(), BATCH, answer=answer)

    assert [one for part in asked for one in json.loads(part.body)["requests"]] == requests
    assert reply.json == {"embeddings": [{"values": [1.0]}] * 200}


@pytest.mark.parametrize("method", [ONE, BATCH])
async def test_other_provider_gets_nothing_of_what_it_cannot_embed(method: str) -> None:
    reply, asked = await ask(named(BODIES[method], ASKED), method, "openai/text-embedding-3-small")
    place = "content.parts[2]" if method == ONE else "requests[0].content.parts[2]"

    assert (reply.status, asked) == (400, [])
    assert f"'{place}' must have a text" in reply.json["error"]["message"]


@pytest.mark.parametrize(
    ("keys", "entry", "status"), [(2, {}, 400), (2, {"provider_objects": True}, 200), (1, {}, 200)]
)
async def test_file_of_an_account_is_given_where_one_client_uses_it(
    keys: int, entry: dict[str, Any], status: int
) -> None:
    reply, asked = await ask(FILE, ONE, keys=keys, **entry)

    assert (reply.status, [exchange.body for exchange in asked]) == (status, [FILE] if status == 200 else [])
    if status == 400:
        assert "names an object in the provider's account" in reply.json["error"]["message"]


@pytest.mark.parametrize(
    "part", ['{"text":1}', '{"inlineData":{"data":1}}', "{}", "[]", '{"fileData":"files/a"}']
)
async def test_faulty_part_is_refused_with_its_path(part: str) -> None:
    body = f'{{"requests":[{{"content":{{"parts":[{part}]}}}}]}}'.encode()
    reply, asked = await ask(body, BATCH)

    assert (reply.status, asked) == (400, [])
    assert "'requests[0].content.parts[0]" in reply.json["error"]["message"]


async def test_request_that_needs_gemini_goes_to_the_gemini_of_its_pool() -> None:
    asked: list[Exchange] = []

    async def script(exchange: Exchange) -> None:
        asked.append(exchange)
        await exchange.send(whole(ANSWERS[ONE]))

    async with providing(script) as server:
        entries = [
            {
                "model_name": ASKED,
                "litellm_params": {
                    "model": model,
                    "api_base": f"http://127.0.0.1:{server.port}",
                    "api_key": KEY,
                },
            }
            for model in ("openai/e", f"gemini/{MODEL}", "openai/f")
        ]
        file = {"model_list": entries, "router_settings": {"num_retries": 0}}
        settings = load_settings(json.dumps(file).encode(), {}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            for _ in range(8):
                reply = await proxy.post(BODIES[ONE], f"/v1beta/models/{ASKED}:{ONE}")
                assert reply.status == 200, reply.raw

    assert [exchange.body for exchange in asked] == [BODIES[ONE]] * 8
