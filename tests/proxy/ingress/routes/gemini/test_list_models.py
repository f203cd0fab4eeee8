"""Tests of ``models`` and ``models/{id}`` in Gemini's form."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.ingress.routes.gemini.asking import error_of, fields_of, serving

PATH = "/v1beta/models"
FIVE = {f"m{number}": "openai/gpt-4o" for number in range(5)}


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (PATH, {}),
        ("/v1alpha/models", {}),
        ("/v1/models", {"x-goog-api-key": "unused"}),
        ("/models", {"X-Goog-Api-Client": "google-genai-sdk/3.4.0"}),
    ],
)
async def test_list_has_geminis_form_for_its_clients(path: str, headers: dict[str, str]) -> None:
    async with serving(models={"gem": "gemini/gemini-3.6-flash"}) as (proxy, upstream):
        reply = await proxy.get(path, headers)

    [model] = reply.json["models"]
    assert (model["name"], model["displayName"]) == ("models/gem", "gem")
    assert model["inputTokenLimit"] > model["outputTokenLimit"] > 1000
    assert "generateContent" in model["supportedGenerationMethods"]
    assert "nextPageToken" not in reply.json
    assert upstream.calls == []


async def test_other_clients_get_their_own_list() -> None:
    async with serving() as (proxy, _):
        assert (await proxy.get("/v1/models")).json["object"] == "list"
        assert "first_id" in (await proxy.get("/v1/models", {"anthropic-version": "2023-06-01"})).json


@pytest.mark.parametrize("name", ["pageSize", "page_size"])
async def test_pages_hold_each_model_once(name: str) -> None:
    found: list[str] = []
    token: Any = ""
    async with serving(models=FIVE) as (proxy, _):
        while token is not None:
            reply = (await proxy.get(f"{PATH}?{name}=2&pageToken={token}")).json
            found += [model["displayName"] for model in reply["models"]]
            token = reply.get("nextPageToken")
        whole = (await proxy.get(f"{PATH}?pageSize=9999")).json

    assert found == list(FIVE)
    assert len(whole["models"]) == 5


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "9" * 30, "٣"])
@pytest.mark.parametrize("name", ["pageSize", "pageToken"])
async def test_page_that_was_not_given_out_is_a_400(name: str, value: str) -> None:
    async with serving() as (proxy, _):
        reply = await proxy.get(f"{PATH}?{name}={value}")

    assert (error_of(reply)[0], fields_of(reply)) == (400, [name])


async def test_page_behind_the_last_one_is_empty() -> None:
    async with serving() as (proxy, _):
        assert (await proxy.get(f"{PATH}?pageToken=1000")).json == {"models": []}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1beta/models/gpt", 200),
        ("/v1beta/models/models/gpt", 200),
        ("/v1beta/models/openai/gpt-4.1", 200),
        ("/v1beta/models/nobody", 404),
        ("/v1beta/models/openai/..%2Fx", 404),
    ],
)
async def test_one_model_is_found_by_its_name(path: str, status: int) -> None:
    async with serving() as (proxy, _):
        reply = await proxy.get(path)

    assert reply.status == status
    assert reply.json["name"].startswith("models/") if status == 200 else error_of(reply)[1] == "NOT_FOUND"


async def test_words_for_a_size_are_not_those_for_a_token() -> None:
    async with serving() as (proxy, _):
        size = await proxy.get(f"{PATH}?pageSize=x")
        token = await proxy.get(f"{PATH}?pageToken=x")

    assert error_of(size)[2] == "'pageSize' must be a whole number."
    assert error_of(token)[2] == "'pageToken' is not one that was given out."


@pytest.mark.parametrize(
    ("model", "info"),
    [
        ("openai/own-embedder", {"mode": "embedding"}),
        ("gemini/gemini-embedding-001", {}),
    ],
    ids=["by the settings", "by litellm's table"],
)
async def test_model_of_embeddings_has_the_methods_of_embeddings(model: str, info: dict[str, str]) -> None:
    entry = {"model_name": "e", "litellm_params": {"model": model}}
    async with serving(model_list=[{**entry, "model_info": info}], models={}) as (proxy, _):
        reply = await proxy.get("/v1beta/models/e")

    assert reply.json["supportedGenerationMethods"] == ["embedContent", "batchEmbedContents"]
