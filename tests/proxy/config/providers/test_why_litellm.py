"""Tests of the reasons why a deployment needs litellm although its provider speaks OpenAI's wire."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.providers.why_litellm import NEEDS, CallFacts, is_azure_v1, why_litellm

HERE = "http://127.0.0.1:1/v1"
RESOURCE = "https://res.openai.azure.com"
DATED = {"api_version": "2024-10-21"}
RESPONSES = "the model is asked through the Responses API"


def facts(provider: str, model: str | None = "m", base: str | None = None, **further: Any) -> CallFacts:
    """Return the facts of a deployment with a key, unless *further* says otherwise."""
    return CallFacts(provider, model, base, **{"has_key": True, "given": {}, **further})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (facts("groq"), None),
        (facts("groq", None), None),
        (facts("groq", has_key=False), None),
        (facts("scaleway"), None),
        (facts("openai", base=HERE), None),
        (facts("hosted_vllm", base=HERE), None),
        (facts("hosted_vllm"), f"{NEEDS} litellm_params.api_base"),
        (facts("heroku"), f"{NEEDS} litellm_params.api_base"),
        (facts("anthropic"), None),
        (facts("anthropic", None), None),
        (facts("anthropic", base=HERE), None),
        (facts("cohere"), "the direct transport does not speak this provider's wire"),
        (facts("cohere", base=HERE), "the direct transport does not speak this provider's wire"),
        (facts(""), "the direct transport does not speak this provider's wire"),
        (facts("*", "*"), "the direct transport does not speak this provider's wire"),
    ],
)
def test_provider_with_a_row_and_an_address_needs_no_litellm(given: CallFacts, reason: str | None) -> None:
    """The reason names the setting that is missing, if there is one."""
    assert why_litellm(given) == reason


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (facts("azure", base=RESOURCE, given=DATED), None),
        (facts("azure", None, RESOURCE, given=DATED), None),
        (facts("azure", base=RESOURCE, given={"api_version": "v1"}), None),
        (facts("azure", base=f"{RESOURCE}/openai/v1"), None),
        (facts("azure", base=RESOURCE, given={**DATED, "azure_ad_token": "t"}, has_key=False), None),
        (facts("azure", given=DATED), f"{NEEDS} litellm_params.api_base"),
        (facts("azure", base=RESOURCE), f"{NEEDS} litellm_params.api_version"),
        (
            facts("azure", base=RESOURCE, given=DATED, has_key=False),
            f"{NEEDS} litellm_params.api_key or azure_ad_token",
        ),
        (
            facts("azure", base=RESOURCE, given={**DATED, "azure_ad_token": "oidc/google/x"}, has_key=False),
            "litellm exchanges the token of azure_ad_token",
        ),
        (
            facts("azure", base="https://gateway.ai.cloudflare.com/v1/a/b/azure-openai/c", given=DATED),
            "the gateway has addresses of its own",
        ),
        (facts("azure", "responses/m", RESOURCE, given=DATED), None),
    ],
)
def test_azure_needs_an_address_a_version_and_a_key_or_token(given: CallFacts, reason: str | None) -> None:
    """Litellm has a version of its own, other addresses, and tokens that are fetched."""
    assert why_litellm(given) == reason


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (facts("azure", "gpt-5-codex", RESOURCE, given=DATED), None),
        (facts("azure", "gpt-5-codex", RESOURCE), f"{NEEDS} litellm_params.api_version"),
        (facts("azure", "o3-pro", RESOURCE, given={"api_version": "v1"}), None),
        (facts("azure", "gpt-5.4", RESOURCE, given=DATED), None),
        (facts("azure", "us/gpt-6-sol", RESOURCE, given=DATED), None),
        (facts("azure", "gpt-5.3", RESOURCE, given=DATED), None),
        (facts("azure", "gpt-4.1", RESOURCE, given=DATED), None),
        (facts("azure", "my-gpt-5.4", RESOURCE, given=DATED), None),
        (facts("azure", "gpt-5-codex", f"{RESOURCE}/openai/v1"), None),
        (facts("azure", "gpt-5.4", f"{RESOURCE}/openai/v1"), None),
        (facts("azure", "gpt-5.4", f"{RESOURCE}/openai/deployments/d", given=DATED), None),
        (facts("databricks", "databricks-gpt-5-5", HERE), RESPONSES),
        (facts("databricks", "databricks-gpt-5-5", HERE, mode="responses"), None),
        (facts("databricks", "databricks-gpt-5-5", HERE, mode="chat"), None),
        (facts("xai", "grok-4.20-multi-agent"), None),
        (facts("xai", "grok-4"), None),
        (facts("openai", "gpt-5-codex"), None),
    ],
)
def test_model_without_chats_needs_litellm_at_databricks_alone(given: CallFacts, reason: str | None) -> None:
    """OpenAI, Azure and xAI are asked in the Responses API directly. So is any server whose entry says so."""
    assert why_litellm(given) == reason


@pytest.mark.parametrize("secret", ["client_secret", "azure_password"])
def test_azure_s_tokens_are_fetched_by_litellm(secret: str) -> None:
    """No setting is missing, so ``check`` has nothing to warn about."""
    given = facts("azure", base=RESOURCE, given={**DATED, secret: "s"}, has_key=False)

    assert why_litellm(given) == f"litellm fetches a token of Entra ID with {secret}"


@pytest.mark.parametrize(
    ("base", "version", "without"),
    [
        (RESOURCE, "2024-10-21", False),
        (RESOURCE, "", False),
        *((RESOURCE, version, True) for version in ("v1", "preview", "latest")),
        (f"{RESOURCE}/openai/v1", "", True),
        (f"{RESOURCE}/openai/v1", "2024-10-21", True),
        (f"{RESOURCE}/openai/v1/chat/completions", "", True),
        (f"{RESOURCE}/openai/deployments/d", "v1", True),
    ],
)
def test_azure_has_an_api_without_versions(base: str, version: str, without: bool) -> None:
    """Its address ends in ``/openai/v1``, or its version is no date."""
    assert is_azure_v1(base, version) is without


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (facts("databricks", base=HERE), None),
        (facts("databricks", "llama.v1", HERE), None),
        (facts("databricks", base=HERE, has_key=False), "litellm may fetch a token"),
        (facts("databricks", "system.ai.llama", HERE), "models of Unity Catalog have another address"),
        (facts("huggingface", "org/name"), None),
        (facts("huggingface", "org/name:groq"), None),
        (facts("huggingface", None), None),
        (facts("huggingface", "together/org/name"), "write huggingface/ORG/NAME:PROVIDER"),
        (facts("huggingface", "name"), "litellm looks up the provider"),
        (facts("huggingface", "tgi", HERE), None),
        (facts("ollama_chat", fields={"keep_alive", "num_ctx"}), "Ollama's /v1 ignores keep_alive"),
        (facts("ollama_chat", fields={"min_p"}), "Ollama's /v1 ignores min_p"),
        (facts("ollama_chat", fields={"x_own"}), None),
        (facts("perplexity", "sonar"), None),
        (facts("perplexity", None), None),
        (facts("perplexity", "preset/pro-search"), RESPONSES),
        (facts("perplexity", "pplx-embed-v1-4b"), "a form that litellm reads"),
        (facts("baseten", "abcd1234"), "set litellm_params.api_base"),
        (facts("baseten", "abcd1234", HERE), None),
        (facts("baseten", "a/b"), None),
        (facts("baseten", "deepseek-v3"), None),
        (facts("groq", "abcd1234", fields={"num_ctx"}), None),
    ],
)
def test_some_models_and_fields_of_a_provider_need_litellm(given: CallFacts, reason: str | None) -> None:
    """Only the provider that is named has the rule."""
    found = why_litellm(given)

    assert (found is None) is (reason is None)
    assert reason is None or reason in str(found)
