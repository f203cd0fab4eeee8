"""The providers that the proxy can call without litellm (the direct transport), and their default addresses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.provider_rows import SERVERS

ANTHROPIC_BASE = "https://api.anthropic.com"
GEMINI_BASE = "https://generativelanguage.googleapis.com/v1beta"

OWN_WIRES: Mapping[str, str] = MappingProxyType({"anthropic": ANTHROPIC_BASE, "gemini": GEMINI_BASE})
"""The addresses of the providers that have a wire of their own."""

OWN_BASES: Mapping[str, tuple[str, ...]] = MappingProxyType({"anthropic": ("ANTHROPIC_API_BASE",)})
"""The variables of their addresses, as litellm reads them.

litellm also reads ``ANTHROPIC_BASE_URL``. This is Claude Code's variable for a server like this one, which would then
call itself.
"""

OPENAI_SERVERS = frozenset(SERVERS)
"""Self-hosted servers that speak OpenAI's wire and have no fixed address, by litellm's name (1.105.3)."""


def speaks_to(provider: str) -> bool:
    """Return True where the direct transport speaks a provider's wire: OpenAI's, or Anthropic's or Gemini's own."""
    return provider in OWN_WIRES or find_provider(provider) is not None


def base_of(provider: str, api_base: str | None) -> str | None:
    """Return the address of a deployment of *provider*: its own *api_base*, or the provider's address.

    The result is None where this module does not know the address. litellm may know it, or the server is self-hosted.
    """
    if api_base is not None:
        return api_base
    if provider in OWN_WIRES:
        return OWN_WIRES[provider]
    row = find_provider(provider)
    return None if row is None else row.base


def has_address(provider: str, api_base: str | None) -> bool:
    """Return True where the direct transport knows a deployment's address.

    A provider without a row may have an address that litellm knows.
    """
    row = find_provider(provider)
    return api_base is not None or row is None or row.base is not None
