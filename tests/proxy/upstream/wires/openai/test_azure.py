"""Tests of Azure's addresses and headers. The expected ones of chats were recorded from litellm 1.105.3."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.deployment import Deployment
from proxy.upstream.wires.openai.azure import azure_headers, azure_url
from tests.proxy.upstream.deployments import deployment_of

RESOURCE = "https://res.openai.azure.com"
DATED = "2024-10-21"
CHATS = "chat/completions"


def azure(model: str = "dep", base: str = RESOURCE, version: str | None = DATED, **params: Any) -> Deployment:
    """Return a deployment at Azure. A *version* of None is not set."""
    if version is not None:
        params["api_version"] = version
    return deployment_of(f"azure/{model}", api_base=base, **params)


@pytest.mark.parametrize(
    ("deployment", "url"),
    [
        (azure(), f"{RESOURCE}/openai/deployments/dep/{CHATS}?api-version={DATED}"),
        (azure(base=f"{RESOURCE}/"), f"{RESOURCE}/openai/deployments/dep/{CHATS}?api-version={DATED}"),
        (
            azure(base=f"{RESOURCE}/openai/deployments/other"),
            f"{RESOURCE}/openai/deployments/other/{CHATS}?api-version={DATED}",
        ),
        (
            azure(base=f"{RESOURCE}/openai/deployments/other/{CHATS}"),
            f"{RESOURCE}/openai/deployments/other/{CHATS}?api-version={DATED}",
        ),
        (
            azure(base="https://westeurope.api.cognitive.microsoft.com"),
            f"https://westeurope.api.cognitive.microsoft.com/openai/deployments/dep/{CHATS}?api-version={DATED}",
        ),
        (
            azure(base="https://res.services.ai.azure.com"),
            f"https://res.services.ai.azure.com/openai/deployments/dep/{CHATS}?api-version={DATED}",
        ),
        (
            azure(base="https://apim.azure-api.net/path"),
            f"https://apim.azure-api.net/path/openai/deployments/dep/{CHATS}?api-version={DATED}",
        ),
        (
            azure("gpt5_series/mine", version="2025-04-01-preview"),
            f"{RESOURCE}/openai/deployments/mine/{CHATS}?api-version=2025-04-01-preview",
        ),
        (
            azure("o_series/mine", version="2025-04-01-preview"),
            f"{RESOURCE}/openai/deployments/mine/{CHATS}?api-version=2025-04-01-preview",
        ),
        *(
            (azure(version=version), f"{RESOURCE}/openai/v1/{CHATS}")
            for version in ("v1", "preview", "latest")
        ),
    ],
)
def test_url_of_chats_is_the_recorded_one(deployment: Deployment, url: str) -> None:
    """A deployment in the address takes precedence over the model's name."""
    assert azure_url(deployment, CHATS) == url


@pytest.mark.parametrize("version", [None, "v1", DATED])
@pytest.mark.parametrize("slash", ["", "/", f"/{CHATS}"])
def test_address_of_the_api_without_versions_is_kept(version: str | None, slash: str) -> None:
    """Litellm appends the path of a deployment, or ``/openai/v1`` once more: a 404."""
    deployment = azure(base=f"{RESOURCE}/openai/v1{slash}", version=version)

    assert azure_url(deployment, CHATS) == f"{RESOURCE}/openai/v1/{CHATS}"


@pytest.mark.parametrize(
    ("deployment", "url"),
    [
        (azure(), f"{RESOURCE}/openai/deployments/dep/embeddings?api-version={DATED}"),
        (
            azure(base=f"{RESOURCE}/openai/deployments/other"),
            f"{RESOURCE}/openai/deployments/other/embeddings?api-version={DATED}",
        ),
        (azure(version="v1"), f"{RESOURCE}/openai/v1/embeddings"),
        (
            azure(base=f"{RESOURCE}/openai/deployments/other/{CHATS}"),
            f"{RESOURCE}/openai/deployments/other/embeddings?api-version={DATED}",
        ),
        (
            azure(base=f"{RESOURCE}/openai/deployments/other/embeddings"),
            f"{RESOURCE}/openai/deployments/other/embeddings?api-version={DATED}",
        ),
    ],
)
def test_url_of_embeddings_has_the_same_forms(deployment: Deployment, url: str) -> None:
    """An address may be the whole one of another endpoint."""
    assert azure_url(deployment, "embeddings") == url


KEY, TOKEN = {"api_key": "k"}, {"azure_ad_token": "t"}


@pytest.mark.parametrize(
    ("params", "headers"),
    [
        (KEY, {"api-key": "k"}),
        (TOKEN, {"Authorization": "Bearer t"}),
        (KEY | TOKEN, {"Authorization": "Bearer t"}),
        (KEY | {"version": "v1"}, {"Authorization": "Bearer k"}),
        (KEY | {"version": "preview"}, {"Authorization": "Bearer k"}),
        (KEY | {"base": f"{RESOURCE}/openai/v1", "version": None}, {"Authorization": "Bearer k"}),
        (KEY | TOKEN | {"version": "v1"}, {"Authorization": "Bearer t"}),
        ({"extra_headers": {"api-key": "theirs"}}, {"api-key": "theirs"}),
        (KEY | {"extra_headers": {"API-Key": "theirs"}}, {"API-Key": "theirs"}),
    ],
)
def test_key_or_token_is_in_the_recorded_header(params: dict[str, Any], headers: dict[str, str]) -> None:
    """A token of Entra ID takes precedence over a key, and only one of them is sent."""
    assert azure_headers(azure(**params)) == {"Content-Type": "application/json", **headers}
