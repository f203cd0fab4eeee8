"""The models that the requests are sent to: one or more for each row of the table of providers."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS

_MODELS = {
    "azure": ("gpt-4o", "gpt-5", "o3", "o_series/mine"),
    "cerebras": ("llama-3.3-70b", "gpt-oss-120b"),
    "codestral": ("codestral-latest",),
    "databricks": ("databricks-llama-4-maverick", "databricks-claude-sonnet-4-5"),
    "deepseek": ("deepseek-chat", "deepseek-reasoner"),
    "fireworks_ai": ("accounts/fireworks/models/llama-v3p3-70b-instruct",),
    "github": ("gpt-4o",),
    "groq": ("llama-3.3-70b-versatile", "openai/gpt-oss-120b"),
    "huggingface": ("org/model",),
    "mistral": ("mistral-large-latest",),
    "moonshot": ("moonshot-v1-8k", "kimi-k2.5"),
    "openai": ("my-model",),
    "openrouter": ("x/y", "anthropic/claude-sonnet-4.5"),
    "perplexity": ("sonar",),
    "together_ai": ("meta-llama/Llama-3.3-70B-Instruct-Turbo",),
    "xai": ("grok-4", "grok-3", "grok-3-mini"),
}
"""The models of the providers whose rules depend on the model. The others have the model ``some-model``."""

IN_PROCESS = frozenset({"vllm"})
"""Providers that litellm does not call: it loads vLLM into its own process."""

OTHER_WIRE = frozenset({"ollama_chat"})
"""Providers that litellm calls on a wire of their own."""

PREFIXES = sorted({*ROWS, *listed_providers()} - IN_PROCESS - OTHER_WIRE)
"""The prefixes of all rows that both transports call on OpenAI's wire."""


def models_of(prefix: str) -> tuple[str, ...]:
    """Return the models of the provider with *prefix*, in litellm's spelling."""
    return tuple(f"{prefix}/{model}" for model in _MODELS.get(prefix, ("some-model",)))


def parameters_of(model: str, url: str) -> dict[str, Any]:
    """Return the ``litellm_params`` of *model* at the server *url*, whose path is that of the provider's address."""
    prefix = model.partition("/")[0]
    given: dict[str, Any] = {"model": model, "api_key": "k-1"}
    if prefix == "anthropic":
        return {**given, "api_base": url}
    row = find_provider(prefix)
    assert row is not None
    if prefix == "azure":
        return {**given, "api_base": url, "api_version": "2024-10-21"}
    if prefix in _PATHS:
        return {**given, "api_base": url + _PATHS[prefix]}
    return {**given, "api_base": url + (urlsplit(row.base).path.rstrip("/") if row.base else "/v1")}


_PATHS = {"databricks": "/serving-endpoints", "heroku": ""}
"""The paths of addresses that depend on the account."""
