"""The list of models holds the configured names, and the known models of wildcards."""

from __future__ import annotations

import openai as openai_client
import pytest

from proxy.config import Settings
from proxy.config.list_models import listed_names
from tests.support.proxied import Proxied, chat, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


@pytest.fixture
def settings() -> Settings:
    """Return settings with two simple names, a name with a slash and a wildcard."""
    return settings_of(
        {
            "fast": "gemini/gemini-3.6-flash",
            "team/best": "anthropic/claude-sonnet-4-5",
            "openai/*": "openai/*",
            "bare": "gpt-4o",
        }
    )


@pytest.mark.parametrize("path", ["/v1/models", "/models"])
async def test_models_are_listed_once_in_the_files_order(proxy: Proxied, path: str) -> None:
    """A wildcard is listed as its provider's known models (``tests/proxy/config/test_list_models.py``)."""
    reply = await proxy.get(path)

    assert reply.status == 200
    assert reply.json["object"] == "list"
    names = [model["id"] for model in reply.json["data"]]
    of_wildcard = names[2:-1]
    assert (names[:2], names[-1]) == (["fast", "team/best"], "bare")
    assert "openai/gpt-4o" in of_wildcard
    assert all(name.startswith("openai/") and "*" not in name for name in of_wildcard)
    owners = ["gemini", "anthropic", *["openai"] * len(of_wildcard), "openai"]
    assert [model["owned_by"] for model in reply.json["data"]] == owners
    assert {model["object"] for model in reply.json["data"]} == {"model"}
    assert {type(model["created"]) for model in reply.json["data"]} == {int}


@pytest.mark.parametrize("prefix", ["/v1", ""])
@pytest.mark.parametrize(
    ("name", "owner"),
    [("fast", "gemini"), ("team/best", "anthropic"), ("openai/gpt-4.1", "openai"), ("openai/*", "openai")],
)
async def test_model_is_found_by_its_name_or_wildcard(
    proxy: Proxied, prefix: str, name: str, owner: str
) -> None:
    """A model is found by its name or by a wildcard. The name may contain a slash."""
    reply = await proxy.get(f"{prefix}/models/{name}")

    assert reply.status == 200
    assert (reply.json["id"], reply.json["owned_by"]) == (name, owner)


@pytest.mark.parametrize("name", ["slow", "team", "openai/..%2Fx", "gemini/gemini-3.6-flash", "fast/x"])
async def test_unknown_model_is_a_404_with_the_known_names(proxy: Proxied, name: str) -> None:
    """The error names the configured models."""
    reply = await proxy.get(f"/v1/models/{name}")

    assert (reply.status, reply.error["code"], reply.error["param"]) == (404, "model_not_found", "model")
    assert "fast, team/best, openai/*, bare" in reply.error["message"]


async def test_openais_client_reads_the_list_and_one_model(proxy: Proxied, settings: Settings) -> None:
    """OpenAI's SDK parses the list of models and the answer for one model."""
    async with openai_client.AsyncOpenAI(base_url=f"{proxy.origin}/v1", api_key="x") as client:
        names = [model.id async for model in client.models.list()]
        one = await client.models.retrieve("team/best")

    assert names == list(listed_names(settings))
    assert one.owned_by == "anthropic"


async def test_name_that_a_wildcard_matches_is_sent_to_the_provider(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A name that a wildcard matches is sent to the provider, and the answer's header has the whole name."""
    reply = await proxy.post(chat(model="openai/gpt-4.1"))

    assert reply.headers["x-turnright-model"] == "openai/gpt-4.1"
    assert upstream.calls[0].deployment.model_id == "gpt-4.1"
