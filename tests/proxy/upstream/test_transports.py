"""Tests of which transport a deployment uses, and of the endpoints that it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.config import resolve
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from proxy.config.providers.why_litellm import NEEDS
from proxy.upstream.transports import completes_texts, reason_of, transport_of, transports_of, uses_litellm
from tests.proxy.upstream.deployments import deployment_of
from tests.proxy.upstream.test_select_transport import entries
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import GEMINI, settings_of

pytestmark = LITELLM_NOISE


@pytest.mark.parametrize(
    ("model", "transport", "taken"),
    [
        ("openai/gpt-4.1", None, "direct"),
        ("openai/gpt-4.1", "auto", "direct"),
        ("openai/gpt-4.1", "litellm", "litellm"),
        ("openai/gpt-4.1", "direct", "direct"),
        ("gpt-4.1", "auto", "direct"),
        (GEMINI, None, "direct"),
        (GEMINI, "litellm", "litellm"),
        (GEMINI, "direct", "direct"),
        ("anthropic/claude-x", None, "litellm"),
        ("anthropic/claude-x", "auto", "litellm"),
        ("ollama/llama", "auto", "litellm"),
        ("vertex_ai/gemini-2.5-pro", "auto", "litellm"),
        ("mistral/x", "auto", "direct"),
        ("mistral/x", "litellm", "litellm"),
        ("mistral/x", "direct", "direct"),
    ],
)
def test_transport_of_a_deployment(model: str, transport: str | None, taken: str) -> None:
    """The default is direct for Gemini and for providers of OpenAI's wire. A named transport is used."""
    [deployment] = resolve(settings_of(model_list=entries((model, transport))), model)

    assert transport_of(deployment) == taken


@pytest.mark.parametrize("prefix", [*ROWS, *listed_providers()])
def test_each_provider_with_a_row_is_spoken_to_directly(prefix: str) -> None:
    """Its model, address and key are all that the direct transport needs. Azure needs a version, too."""
    params = {"api_base": "http://127.0.0.1:1", "api_key": "k", "api_version": "2024-10-21"}
    deployment = deployment_of(f"{prefix}/some-model", **params)

    assert (transport_of(deployment), reason_of(deployment)) == ("direct", None)
    assert transport_of(replace(deployment, transport="litellm")) == "litellm"


AZURE = {"api_base": "https://h.test", "api_version": "2024-10-21"}


@pytest.mark.parametrize(
    ("model", "params", "reason"),
    [
        ("azure/m", AZURE, f"{NEEDS} litellm_params.api_key or azure_ad_token"),
        ("azure/m", {**AZURE, "api_key": "k"}, None),
        ("azure/m", {**AZURE, "azure_ad_token": "t"}, None),
        ("azure/m", {**AZURE, "extra_headers": {"API-Key": "k"}}, None),
        ("azure/m", {**AZURE, "headers": {"authorization": "Bearer t"}}, None),
        (
            "azure/m",
            {**AZURE, "extra_headers": {"x-other": "k"}},
            f"{NEEDS} litellm_params.api_key or azure_ad_token",
        ),
        (
            "azure/m",
            {**AZURE, "client_secret": "s"},
            "litellm fetches a token of Entra ID with client_secret",
        ),
        ("azure/m", {**AZURE, "azure_ad_token": "oidc/x"}, "litellm exchanges the token of azure_ad_token"),
        ("ollama_chat/m", {}, None),
        ("ollama_chat/m", {"extra_body": {"keep_alive": "5m"}}, "Ollama's /v1 ignores keep_alive"),
        ("ollama_chat/m", {"allowed_openai_params": ["num_ctx"]}, "Ollama's /v1 ignores num_ctx"),
        ("ollama_chat/m", {"top_k": 5}, "Ollama's /v1 ignores top_k"),
        (
            "databricks/m",
            {"api_base": "https://h.test"},
            f"{NEEDS} litellm_params.api_key; litellm may fetch a token",
        ),
        ("hosted_vllm/m", {}, f"{NEEDS} litellm_params.api_base"),
        ("perplexity/preset/pro-search", {}, "the model is asked through the Responses API"),
    ],
)
def test_reason_is_found_in_the_settings(model: str, params: dict[str, Any], reason: str | None) -> None:
    """Keys, headers, credentials and fields of the body count."""
    deployment = deployment_of(model, **params)

    assert reason_of(deployment) == reason
    assert transport_of(deployment) == ("direct" if reason is None else "litellm")


@pytest.mark.parametrize("named", ["sonar", "preset/pro-search"])
def test_all_models_of_a_wildcard_take_one_transport(named: str) -> None:
    """A client that names a model would otherwise need a transport that has not been started."""
    [deployment] = resolve(settings_of(model_list=entries(("perplexity/*", None))), f"perplexity/{named}")

    assert transport_of(deployment) == "direct"
    assert transports_of(deployment) == {"direct"}


@pytest.mark.parametrize(
    ("model", "transport", "needed"),
    [
        ("*", None, {"direct", "litellm"}),
        ("*", "litellm", {"litellm"}),
        ("groq/*", None, {"direct"}),
        ("anthropic/*", None, {"litellm"}),
        ("groq/llama", None, {"direct"}),
    ],
)
def test_entry_for_any_provider_needs_both_transports(
    model: str, transport: str | None, needed: set[str]
) -> None:
    """The client names the provider. The limits of memory count litellm, too."""
    routes = settings_of(model_list=entries((model, transport))).routes
    pools = routes.wildcards if model.endswith("*") else routes.exact
    [deployment] = pools[model.removesuffix("*")]

    assert transports_of(deployment) == needed
    assert uses_litellm(routes) is ("litellm" in needed)


@pytest.mark.parametrize(
    ("model", "transport", "completes"),
    [
        ("openai/m", "auto", True),
        ("openai/m", "litellm", True),
        ("hosted_vllm/m", "litellm", True),
        ("together_ai/m", "auto", True),
        ("together_ai/m", "litellm", False),
        ("groq/m", "auto", False),
        ("azure/m", "auto", False),
        ("gemini/m", "auto", False),
        ("anthropic/m", "auto", False),
    ],
)
def test_text_completions_go_to_providers_that_have_the_endpoint(
    model: str, transport: Any, completes: bool
) -> None:
    """Other models get a chat request. litellm's route keeps its text completions for OpenAI's servers alone."""
    deployment = replace(deployment_of(model, api_base="http://127.0.0.1:1/v1"), transport=transport)

    assert completes_texts(deployment) is completes
