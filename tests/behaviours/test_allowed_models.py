"""A key asks for its own models alone, on each path of each format, and learns of no others."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from proxy.config import Settings, load_settings
from proxy.core.errors import UpstreamFault
from proxy.ingress.openai_responses.ids import make_response_id
from tests.support.builders import user
from tests.support.proxied import Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

OWN, SECRET, ABSENT = "fast", "very-secret-model", "nobody-serves-this"
CONTENTS = [{"role": "user", "parts": [{"text": "Hello."}]}]
EMBEDDED = {"content": {"parts": [{"text": "Hello."}]}}

CHATS: Mapping[str, Mapping[str, Any]] = {
    "/v1/chat/completions": {"messages": [user("Hello.")]},
    "/v1/responses": {"input": "Hello."},
    "/v1/messages": {"max_tokens": 10, "messages": [user("Hello.")]},
    "/v1beta/models/{model}:generateContent": {"contents": CONTENTS},
    "/v1beta/models/{model}:streamGenerateContent?alt=sse": {"contents": CONTENTS},
}
OTHERS: Mapping[str, Mapping[str, Any]] = {
    "/v1/completions": {"prompt": "Hello."},
    "/v1/embeddings": {"input": "Hello."},
    "/v1/responses/input_tokens": {"input": "Hello."},
    "/v1/responses/compact": {"input": "Hello."},
    "/v1/messages/count_tokens": {"messages": [user("Hello.")]},
    "/v1beta/models/{model}:countTokens": {"contents": CONTENTS},
    "/v1beta/models/{model}:embedContent": EMBEDDED,
    "/v1beta/models/{model}:batchEmbedContents": {"requests": [{"model": "models/{model}", **EMBEDDED}]},
    "/v1/explain": {"messages": [user("Hello.")]},
    "/v1/explain?format=openai_responses": {"input": "Hello."},
    "/v1/explain?format=anthropic_messages": {"max_tokens": 10, "messages": [user("Hello.")]},
    "/v1/explain?format=gemini_native&model={model}": {"contents": CONTENTS},
}


@pytest.fixture
def settings() -> Settings:
    """Return settings with a key and a team that may use some of the models."""
    return settings_of(
        {
            OWN: "openai/gpt-4o",
            SECRET: "openai/gpt-4.1",
            "spare": "openai/gpt-4o-mini",
            "openai/*": "openai/*",
        },
        general_settings={
            "master_key": "tr-master",
            "teams": [{"name": "blue", "models": ["fa*", "openai/*"]}],
            "keys": [
                {"name": "own", "key": "tr-own", "models": [OWN]},
                {
                    "name": "teamed",
                    "key": "tr-teamed",
                    "team": "blue",
                    "models": [OWN, "openai/gpt-4.1*", SECRET],
                },
                {"name": "all", "key": "tr-all"},
            ],
        },
        router_settings={
            "fallbacks": [{OWN: [SECRET, "spare"]}],
            "model_group_alias": {"quick": OWN, "hush": SECRET},
        },
    )


@pytest.fixture
async def proxy(settings: Settings, upstream: ScriptedUpstream) -> AsyncIterator[Proxied]:
    """Serve these settings."""
    async with proxied(settings, upstream) as served:
        yield served


async def ask(proxy: Proxied, path: str, model: str, key: str = "tr-own") -> Reply:
    """Ask for *model* on *path* with *key*."""
    body = dict({**CHATS, **OTHERS}[path])
    if "requests" in body:
        body["requests"] = [{**body["requests"][0], "model": f"models/{model}"}]
    if "{model}" not in path:
        body["model"] = model
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return await proxy.post(body, path.replace("{model}", model), headers=headers)


@pytest.mark.parametrize("path", [*CHATS, *OTHERS])
async def test_another_model_is_refused_on_each_path(
    proxy: Proxied, upstream: ScriptedUpstream, path: str
) -> None:
    """A model of others and a model that nobody serves get the same 403, and no provider is asked."""
    secret, absent = await ask(proxy, path, SECRET), await ask(proxy, path, ABSENT)

    assert (secret.status, absent.status) == (403, 403)
    assert not upstream.exchanges
    assert not upstream.plain_calls
    for reply, name in ((secret, SECRET), (absent, ABSENT)):
        said = reply.raw.decode()
        assert f"The model '{name}' does not exist, or this key may not use it." in said
        for other in (SECRET, "spare", "hush", "openai/*"):
            assert other not in said.replace(name, "")
    if path.startswith(("/v1/chat", "/v1/completions", "/v1/embeddings")):
        assert secret.error["code"] == "model_not_found"


@pytest.mark.pairwise
@pytest.mark.parametrize("path", CHATS)
@pytest.mark.parametrize(
    ("key", "model", "status"),
    [
        ("tr-own", OWN, 200),
        ("tr-own", "quick", 200),
        ("tr-own", "hush", 403),
        ("tr-own", "openai/gpt-4o", 403),
        ("tr-teamed", OWN, 200),
        ("tr-teamed", "openai/gpt-4.1-mini", 200),
        ("tr-teamed", "openai/gpt-4o", 403),
        ("tr-teamed", SECRET, 403),
        ("tr-all", SECRET, 200),
        ("tr-master", "hush", 200),
    ],
)
async def test_the_asked_name_or_its_entry_must_be_allowed(
    proxy: Proxied, path: str, key: str, model: str, status: int
) -> None:
    """A second name of an allowed model is allowed. A key's list and its team's both hold."""
    assert (await ask(proxy, path, model, key)).status == status


@pytest.mark.parametrize(("key", "asked"), [("tr-own", [OWN]), ("tr-all", [OWN, SECRET, "spare"])])
async def test_a_fallback_that_is_not_allowed_is_none(
    proxy: Proxied, upstream: ScriptedUpstream, key: str, asked: list[str]
) -> None:
    """A key falls back to its own models alone, as if the others were not configured."""
    for _ in range(3):
        upstream.then(UpstreamFault("It failed.", upstream_status=500))
    reply = await ask(proxy, "/v1/chat/completions", OWN, key)

    assert reply.status >= 500
    assert [call.deployment.name for call in upstream.calls] == asked
    assert SECRET not in reply.raw.decode()


def _names(reply: Reply) -> list[str]:
    listed = reply.json.get("data") or reply.json.get("models")
    return [model.get("id") or model["name"].removeprefix("models/") for model in listed or ()]


SHAPES = {
    "openai": {},
    "anthropic": {"anthropic-version": "2023-06-01"},
    "gemini": {"x-goog-api-client": "genai-py/1"},
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_each_list_of_models_has_those_of_the_key(proxy: Proxied, shape: str) -> None:
    """The lists of all formats have the models that the key may ask for, and no others."""
    headers = {"Authorization": "Bearer tr-own", **SHAPES[shape]}
    assert _names(await proxy.get("/v1/models", headers=headers)) == [OWN, "quick"]

    headers["Authorization"] = "Bearer tr-teamed"
    teamed = _names(await proxy.get("/v1/models", headers=headers))
    assert teamed[0] == OWN
    assert "openai/gpt-4.1-mini" in teamed
    assert all(name in (OWN, "quick") or name.startswith("openai/gpt-4.1") for name in teamed)

    headers["Authorization"] = "Bearer tr-all"
    assert SECRET in _names(await proxy.get("/v1/models", headers=headers))


@pytest.mark.parametrize("shape", SHAPES)
async def test_another_model_is_not_found_by_its_name(proxy: Proxied, shape: str) -> None:
    """A model of others is not found, as a model that nobody serves."""
    headers = {"Authorization": "Bearer tr-own", **SHAPES[shape]}

    assert (await proxy.get(f"/v1/models/{OWN}", headers=headers)).status == 200
    for name in (SECRET, ABSENT, "hush", "openai/*", "openai/gpt-4o"):
        reply = await proxy.get(f"/v1/models/{name}", headers=headers)
        assert reply.status == 404
        assert SECRET not in reply.raw.decode().replace(name, "")


async def test_the_page_shows_the_models_of_the_key(proxy: Proxied) -> None:
    """The inspector lists, judges and counts the models that the key may use."""
    assert (await ask(proxy, "/v1/chat/completions", SECRET, "tr-all")).status == 200
    own, every = ({"Authorization": f"Bearer tr-{key}"} for key in ("own", "all"))
    request = {"model": OWN, "messages": [user("Hello.")]}
    shown = [
        await proxy.get("/ui/api/models", headers=own),
        await proxy.get("/ui/api/live", headers=own),
        await proxy.post({"request": request}, "/ui/api/verdicts", headers=own),
        await proxy.post({"request": {"messages": request["messages"]}}, "/ui/api/look", headers=own),
    ]

    assert [reply.status for reply in shown] == [200] * 4
    for reply in shown:
        for name in (SECRET, "spare", "openai/*"):
            assert name not in reply.raw.decode()
    target = {"request": request, "target": {"model": SECRET}}
    assert (await proxy.post(target, "/ui/api/look", headers=own)).status == 403
    for path in ("/ui/api/models", "/ui/api/live"):
        assert SECRET in (await proxy.get(path, headers=every)).raw.decode()


@pytest.mark.parametrize(
    ("asked", "hint"), [("fats", "Did you mean fast"), ("very-secret-mode", "Models of this key: fast")]
)
async def test_a_hint_names_models_of_the_key_alone(proxy: Proxied, asked: str, hint: str) -> None:
    """A misspelled name gets a hint among the models of the key."""
    message = (await ask(proxy, "/v1/chat/completions", asked)).error["message"]

    assert hint in message
    assert SECRET not in message


@pytest.mark.parametrize("held", [make_response_id("seed"), "resp_foreign"])
async def test_a_model_whose_provider_stores_responses_is_not_found_by_them(
    upstream: ScriptedUpstream, held: str
) -> None:
    """A conversation that is not stored tells nothing of a model's settings, for a model that the key may not use."""
    file = {
        "model_list": [
            {"model_name": OWN, "litellm_params": {"model": "openai/gpt-4o"}},
            {"model_name": SECRET, "litellm_params": {"model": "openai/gpt-4.1"}, "provider_state": True},
        ],
        "general_settings": {"keys": [{"name": "own", "key": "tr-own", "models": [OWN]}]},
    }
    async with proxied(load_settings(json.dumps(file).encode(), {}).settings, upstream) as proxy:

        async def ask_for(model: str, held: str) -> Reply:
            body = {"model": model, "input": "Hello.", "previous_response_id": held}
            return await proxy.post(body, "/v1/responses", headers={"Authorization": "Bearer tr-own"})

        secret, absent = await ask_for(SECRET, held), await ask_for(ABSENT, held)

    assert secret.status == absent.status
    assert secret.error["message"].replace(SECRET, ABSENT) == absent.error["message"]
    assert not upstream.exchanges
