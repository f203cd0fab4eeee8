"""A deployment for every profile (rules for histories), to inspect a history for a model that is not configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import orjson

from proxy.config import load_settings
from proxy.core.deployment import Deployment
from proxy.upstream.dialects import withheld_names
from proxy.upstream.transports import transport_of

MODELS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "openai/gpt-4o",
        "gemini-1": "gemini/gemini-1.5-pro",
        "gemini-2": "gemini/gemini-2.5-pro",
        "gemini-3": "gemini/gemini-3-pro-preview",
        "gemini-3-strict": "gemini/gemini-3.6-flash",
        "gemma": "gemini/gemma-3-27b-it",
        "anthropic": "anthropic/claude-sonnet-4-5",
        "anthropic-strict": "anthropic/claude-opus-4-6",
        "bedrock": "bedrock/amazon.nova-pro-v1:0",
        "bedrock-claude": "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock-claude-strict": "bedrock/anthropic.claude-opus-4-6-v1:0",
        "chat-template": "hosted_vllm/qwen3-32b",
        "chat-template-gemma": "hosted_vllm/gemma-3-27b-it",
        "chat-template-mistral": "hosted_vllm/mistral-small-3.2",
        "cohere": "cohere/command-a-03-2025",
        "databricks": "databricks/databricks-gpt-oss-120b",
        "databricks-claude": "databricks/databricks-claude-sonnet-4-5",
        "deepseek": "deepseek/deepseek-chat",
        "deepseek-reasoner": "deepseek/deepseek-reasoner",
        "deepseek-thinking": "deepseek/deepseek-v4-pro",
        "fireworks": "fireworks_ai/llama-v3p3-70b-instruct",
        "groq": "groq/llama-3.3-70b-versatile",
        "kimi": "moonshot/kimi-k2.6",
        "minimax": "minimax/MiniMax-M2.5",
        "mistral": "mistral/mistral-large-latest",
        "perplexity": "perplexity/sonar",
        "xai": "xai/grok-4",
    }
)
"""A model of each profile. The model decides the window and the parameters of the profile's deployment."""

NO_ENTRY = -1
"""The position of a deployment that is in no configuration."""


@lru_cache(maxsize=1)
def deployments_by_profile() -> Mapping[str, Deployment]:
    """Return a deployment for each profile. These deployments are never called, and have no real key or address.

    None of them has the position of an entry of ``model_list``, so nothing that is set for an entry holds for them.
    """
    entries = [
        {
            "model_name": name,
            "profile": name,
            "litellm_params": {"model": model, "api_base": "http://127.0.0.1:9"},
        }
        for name, model in MODELS.items()
    ]
    settings = load_settings(orjson.dumps({"model_list": entries}), {}).settings
    return {name: replace(settings.routes.exact[name][0], position=NO_ENTRY) for name in MODELS}


def withheld_unasked(deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return the parameters that are never sent to *deployment*, as far as known without its transport."""
    withheld = withheld_names(deployment, transport_of(deployment), parameters)
    return withheld - deployment.allowed_openai_params
