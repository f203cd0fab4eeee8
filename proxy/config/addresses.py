"""Where the providers are that the direct transport speaks to, when a deployment names no ``api_base``."""

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
"""Providers of OpenAI's wire, by litellm's name (their own documentation, 2026-11)."""


def has_address(provider: str, api_base: str | None) -> bool:
    """Tell whether the direct transport knows where a deployment is."""
    return api_base is not None or provider == "gemini" or provider in OPENAI_BASES
