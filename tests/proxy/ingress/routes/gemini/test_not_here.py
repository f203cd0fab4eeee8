"""Tests of the paths of Gemini's API that are not served."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.gemini.asking import KEYS, error_of, serving

GOOGLE = {"x-goog-api-key": "sk-ann-000000"}
PATHS = (
    "/v1beta/cachedContents",
    "/v1beta/cachedContents/x",
    "/upload/v1beta/files",
    "/v1beta/files/x:download",
    "/v1beta/models/gpt:predict",
    "/v1beta/tunedModels/x:generateContent",
    "/v1beta/interactions",
    "/v1beta/fileSearchStores",
    "/v1alpha/auth_tokens",
    "/v1/projects/p/locations/l/cachedContents",
    "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
)


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_path_answers_404_in_googles_envelope(method: str, path: str) -> None:
    async with serving(general_settings=KEYS) as (proxy, upstream):
        reply = await proxy.request(method, path, data=b"{", headers=GOOGLE)
        keyless = await proxy.request(method, path, headers={"x-goog-api-client": "google-genai-sdk/3.4.0"})

    assert error_of(reply)[:2] == (404, "NOT_FOUND")
    assert error_of(keyless)[:2] == (401, "UNAUTHENTICATED")
    assert upstream.calls == []


@pytest.mark.parametrize("path", ["/v1/models/gpt:bidiGenerateContent", "/models/gpt:batchGenerateContent"])
async def test_method_of_a_path_that_other_apis_have_answers_404_to_posts(path: str) -> None:
    async with serving(general_settings=KEYS) as (proxy, upstream):
        reply = await proxy.request("POST", path, data=b"{", headers=GOOGLE)

    assert error_of(reply)[:2] == (404, "NOT_FOUND")
    assert upstream.calls == []


async def test_client_of_openai_that_deletes_a_model_gets_openais_error() -> None:
    """``client.models.delete("ft:gpt-4.1:team::id")`` is a request of OpenAI's API."""
    async with serving(general_settings=KEYS) as (proxy, _):
        headers = {"Authorization": "Bearer sk-ann-000000"}
        reply = await proxy.request("DELETE", "/v1/models/ft:gpt-4.1:team::id", headers=headers)

    assert (reply.status, reply.json["error"]["code"]) == (405, "method_not_allowed")


async def test_file_needs_no_json() -> None:
    async with serving(general_settings=KEYS) as (proxy, _):
        headers = {**GOOGLE, "Content-Type": "image/png"}
        reply = await proxy.request("POST", "/upload/v1beta/files", data=b"\x89PNG", headers=headers)

    assert error_of(reply)[0] == 404


@pytest.mark.parametrize("path", ["/v1/files", "/v1/batches"])
async def test_path_of_two_apis_answers_each_client_in_its_own_way(path: str) -> None:
    async with serving(general_settings=KEYS) as (proxy, _):
        googles = await proxy.get(path, GOOGLE)
        openais = await proxy.get(path, {"Authorization": "Bearer sk-ann-000000"})

    assert error_of(googles)[:2] == (404, "NOT_FOUND")
    assert openais.status == 501


async def test_path_is_no_route_in_metrics() -> None:
    async with serving() as (proxy, _):
        await proxy.post({}, "/v1beta/models/gpt:predict")
        metrics = await proxy.metrics()

    routes = {dict(labels).get("route") for (name, labels), count in metrics.items() if count}
    assert not [route for route in routes if route and "predict" in route]
