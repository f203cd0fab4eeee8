"""Tests of which transport a deployment uses, and of the endpoints that it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.config import resolve
from proxy.config.litellm_models import models_of
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from proxy.config.providers.why_litellm import NEEDS
from proxy.core.errors import InvalidRequest
from proxy.core.forward_proxies import ForwardProxies
from proxy.upstream.transports import (
    check_model,
    completes_texts,
    reason_of,
    transport_of,
    transports_of,
    uses_litellm,
)
from tests.proxy.upstream.deployments import deployment_of
from tests.proxy.upstream.test_select_transport import entries
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import GEMINI, settings_of

pytestmark = LITELLM_NOISE

RESPONSES = "the model is asked through the Responses API"
RESOURCE = "https://res.openai.azure.com"


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
        ("anthropic/claude-x", None, "direct"),
        ("anthropic/claude-x", "auto", "direct"),
        ("anthropic/claude-x", "litellm", "litellm"),
        ("cohere/command-x", None, "litellm"),
        ("cohere/command-x", "auto", "litellm"),
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


@pytest.mark.parametrize(
    ("wildcard", "named", "refused"),
    [
        ("perplexity/*", "perplexity/sonar", None),
        ("perplexity/*", "perplexity/preset/pro-search", RESPONSES),
        ("perplexity/*", "perplexity/pplx-embed-v1-4b", "a form that litellm reads"),
        ("xai/*", "xai/grok-4", None),
        ("xai/*", "xai/grok-4.20-multi-agent", None),
        ("azure/*", "azure/gpt-5-codex", None),
        ("azure/*", "azure/gpt-5.4", None),
        ("huggingface/*", "huggingface/together/org/name", "litellm looks up the provider"),
        ("groq/*", "groq/a/b/c", None),
    ],
)
def test_wildcard_takes_one_transport_and_refuses_the_models_of_the_other(
    wildcard: str, named: str, refused: str | None
) -> None:
    """Litellm is not started for a few models. The refusal says which settings help."""
    params = {"model": wildcard, "api_key": "k"}
    if wildcard == "azure/*":
        params |= {"api_base": RESOURCE, "api_version": "2024-10-21"}
    [deployment] = resolve(settings_of({wildcard: params}), named)

    assert transport_of(deployment) == "direct"
    assert transports_of(deployment) == {"direct"}
    if refused is None:
        check_model(deployment)
    else:
        with pytest.raises(InvalidRequest, match=f"{refused}.*own name, or set transport: litellm"):
            check_model(deployment)
        check_model(replace(deployment, transport="direct"))
        check_model(replace(deployment, name=named))


@pytest.mark.parametrize(
    ("named", "taken"),
    [
        ("groq/llama", "direct"),
        ("xai/grok-4", "direct"),
        ("xai/grok-4.20-multi-agent", "direct"),
        ("perplexity/preset/pro-search", "litellm"),
        ("gemini/gemini-3.6-flash", "direct"),
        ("anthropic/claude-x", "direct"),
        ("cohere/command-x", "litellm"),
    ],
)
def test_both_transports_are_started_where_the_client_names_the_provider(named: str, taken: str) -> None:
    """Each model of the entry ``*`` takes the transport that it needs."""
    settings = settings_of({"*": "*"})
    [deployment] = resolve(settings, named)

    assert transport_of(deployment) == taken
    check_model(deployment)
    for pool in settings.routes.wildcards.values():
        assert [transports_of(member) for member in pool] == [{"direct", "litellm"}]


def test_model_decides_at_no_further_provider() -> None:
    """No model in litellm's table changes the transport of another provider's wildcard."""
    differing = set()
    for prefix in (*ROWS, *listed_providers()):
        [wildcard] = resolve(
            settings_of({f"{prefix}/*": {**AZURE, "model": f"{prefix}/*", "api_key": "k"}}), f"{prefix}/m"
        )
        by_name = (
            replace(wildcard, name="m", model=f"{prefix}/{model}", model_id=model)
            for model in models_of(prefix)
        )
        if any(reason_of(one) != reason_of(wildcard) for one in by_name):
            differing.add(prefix)

    assert differing == {"databricks", "perplexity"}


PROXIED = ForwardProxies((("https", "HTTPS_PROXY"),), "localhost,.internal")


@pytest.mark.parametrize(
    ("model", "params", "variable"),
    [
        ("groq/m", {}, "HTTPS_PROXY"),
        ("groq/*", {}, "HTTPS_PROXY"),
        ("deepseek/m", {"api_base": "https://llm.internal/v1"}, None),
        ("hosted_vllm/m", {"api_base": "http://vllm:8000/v1"}, None),
        ("hosted_vllm/m", {"api_base": "https://127.0.0.1:1/v1"}, None),
        ("hosted_vllm/m", {"api_base": "https://vllm:8000/v1"}, "HTTPS_PROXY"),
        ("openai/m", {}, None),
        ("gemini/gemini-3.6-flash", {}, None),
    ],
)
def test_forward_proxy_leaves_a_provider_to_litellm(
    model: str, params: dict[str, Any], variable: str | None
) -> None:
    """Litellm uses the proxy. OpenAI and Gemini were always called directly."""
    deployment = replace(deployment_of(model.replace("*", "m"), **params), forward_proxies=PROXIED)

    assert transport_of(deployment) == ("direct" if variable is None else "litellm")
    assert transport_of(replace(deployment, transport="direct")) == "direct"
    if variable is not None:
        assert reason_of(deployment) == f"the direct transport does not use the forward proxy of {variable}"


@pytest.mark.parametrize(
    ("model", "mode", "taken"),
    [
        ("huggingface/BAAI/bge-m3", "embedding", "litellm"),
        ("huggingface/BAAI/bge-m3", "chat", "direct"),
        ("huggingface/BAAI/bge-m3", None, "direct"),
        ("perplexity/my-alias", "embedding", "litellm"),
        ("together_ai/m", "embedding", "direct"),
        ("groq/m", "embedding", "direct"),
    ],
)
def test_embeddings_in_a_form_of_their_own_are_left_to_litellm(
    model: str, mode: str | None, taken: str
) -> None:
    """``model_info`` tells which models are for embeddings. Elsewhere litellm refuses embeddings, too."""
    info = {} if mode is None else {"mode": mode}
    settings = settings_of(
        model_list=[{"model_name": "m", "litellm_params": {"model": model}, "model_info": info}]
    )
    [deployment] = resolve(settings, "m")

    assert transport_of(deployment) == taken


def test_operator_may_say_that_a_model_has_no_chats() -> None:
    """Then litellm is not needed for what its table says."""
    entry = {
        "model_name": "m",
        "litellm_params": {"model": "databricks/databricks-gpt-5-5", "api_base": RESOURCE, "api_key": "k"},
    }
    [by_table] = resolve(settings_of(model_list=[entry]), "m")
    [by_mode] = resolve(settings_of(model_list=[{**entry, "model_info": {"mode": "responses"}}]), "m")

    assert reason_of(by_table) == RESPONSES
    assert transport_of(by_mode) == "direct"


@pytest.mark.parametrize(
    ("model", "transport", "needed"),
    [
        ("*", None, {"direct", "litellm"}),
        ("*", "litellm", {"litellm"}),
        ("groq/*", None, {"direct"}),
        ("xai/*", None, {"direct"}),
        ("anthropic/*", None, {"direct"}),
        ("cohere/*", None, {"litellm"}),
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
        *((f"{provider}/m", "auto", True) for provider in ("cerebras", "featherless_ai", "fireworks_ai")),
        *((f"{provider}/m", "auto", True) for provider in ("ollama_chat", "openrouter")),
        *(
            (f"{provider}/m", "auto", False)
            for provider in ("dashscope", "hyperbolic", "lambda_ai", "meta_llama")
        ),
        *((f"{provider}/m", "auto", False) for provider in ("modelscope", "moonshot", "nebius", "qwencloud")),
        *((f"{provider}/m", "auto", False) for provider in ("qwen_ai_platform", "wandb", "xai")),
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
    if completes and deployment.provider == "openai":
        by_responses = replace(deployment, mode="responses")
        assert completes_texts(by_responses) is (transport == "litellm")
