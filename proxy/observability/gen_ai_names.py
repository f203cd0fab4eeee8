"""OpenTelemetry's names for operations and providers, the same in metrics and in spans.

These names are the values of ``gen_ai.operation.name`` and ``gen_ai.provider.name`` in the repository
``open-telemetry/semantic-conventions-genai`` (status: development; read in October 2026).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OTHER = "_OTHER"
"""OpenTelemetry's value for anything outside a closed set."""

CHAT, EMBEDDINGS, TEXT_COMPLETION = "chat", "embeddings", "text_completion"
"""The operations of a provider."""

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "anthropic",
        "azure": "azure.ai.openai",
        "azure_ai": "azure.ai.inference",
        "azure_text": "azure.ai.openai",
        "bedrock": "aws.bedrock",
        "bedrock_converse": "aws.bedrock",
        "codestral": "mistral_ai",
        "cohere": "cohere",
        "cohere_chat": "cohere",
        "deepseek": "deepseek",
        "gemini": "gcp.gemini",
        "groq": "groq",
        "mistral": "mistral_ai",
        "moonshot": "moonshot_ai",
        "openai": "openai",
        "perplexity": "perplexity",
        "text-completion-openai": "openai",
        "vertex_ai": "gcp.vertex_ai",
        "vertex_ai_beta": "gcp.vertex_ai",
        "watsonx": "ibm.watsonx.ai",
        "watsonx_text": "ibm.watsonx.ai",
        "xai": "x_ai",
        # The conventions have no name for these, and allow names of one's own.
        "cerebras": "cerebras",
        "fireworks_ai": "fireworks_ai",
        "hosted_vllm": "vllm",
        "huggingface": "huggingface",
        "llamafile": "llamafile",
        "lm_studio": "lm_studio",
        "nvidia_nim": "nvidia_nim",
        "ollama": "ollama",
        "ollama_chat": "ollama",
        "openrouter": "openrouter",
        "sambanova": "sambanova",
        "together_ai": "together_ai",
        "vllm": "vllm",
    }
)
"""Maps litellm's name of a provider to ``gen_ai.provider.name``. A provider that is not listed is :data:`OTHER`."""
