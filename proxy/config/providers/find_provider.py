"""Finds the row of a provider, among our own rows and those that litellm lists."""

from __future__ import annotations

from functools import lru_cache

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_row import ProviderRow
from proxy.config.providers.provider_rows import ROWS


@lru_cache(maxsize=1024)
def find_provider(prefix: str) -> ProviderRow | None:
    """Return the row of the provider with litellm's *prefix*, or None where the direct transport has none for it."""
    return ROWS.get(prefix) or listed_providers().get(prefix)
