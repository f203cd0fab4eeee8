"""The providers that the proxy can call without litellm (the direct transport), and their default addresses."""

from __future__ import annotations

from types import MappingProxyType

GEMINI_BASE = "https://generativelanguage.googleapis.com/v1beta"

OPENAI_BASES = MappingProxyType(
    {
        "deepseek": "https://api.deepseek.com/v1",
        "groq": "https://api.groq.com/openai/v1",
        "mistral": "https://api.mistral.ai/v1",
        "openai": "https://api.openai.com/v1",
        "openrouter": "https://openrouter.ai/api/v1",
        "together_ai": "https://api.together.xyz/v1",
        "xai": "https://api.x.ai/v1",
    }
)
"""Addresses of providers that speak OpenAI's wire format, by litellm's name (the providers' documents, 2026-11)."""


OPENAI_SERVERS = frozenset(
    {"custom_openai", "hosted_vllm", "litellm_proxy", "llamafile", "lm_studio", "xinference"}
)
"""Self-hosted servers that speak OpenAI's wire and have no fixed address, by litellm's name (1.105.3)."""


def speaks_to(provider: str) -> bool:
    """Return True where the direct transport speaks a provider's wire: OpenAI's, or Gemini's own."""
    return provider == "gemini" or provider in OPENAI_BASES or provider in OPENAI_SERVERS


def base_of(provider: str, api_base: str | None) -> str | None:
    """Return the address of a deployment of *provider*: its own *api_base*, or the provider's address.

    The result is None where this module does not know the address. litellm may know it, or the server is self-hosted.
    """
    if api_base is not None:
        return api_base
    return GEMINI_BASE if provider == "gemini" else OPENAI_BASES.get(provider)


def has_address(provider: str, api_base: str | None) -> bool:
    """Return True where the direct transport knows a deployment's address.

    It must speak the wire format of *provider*.
    """
    return api_base is not None or provider not in OPENAI_SERVERS
