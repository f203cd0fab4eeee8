"""Tests that a provider's row is found among our own rows and litellm's list."""

from __future__ import annotations

import pytest

from proxy.config.providers import find_provider as module
from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_row import ProviderRow
from proxy.config.providers.provider_rows import ROWS


@pytest.mark.parametrize("prefix", [*ROWS, *listed_providers()])
def test_each_row_is_found_by_its_prefix(prefix: str) -> None:
    """The prefix of the row is the one that was asked for."""
    row = find_provider(prefix)

    assert row is not None
    assert row.prefix == prefix


@pytest.mark.parametrize("prefix", ["anthropic", "azure_ai", "bedrock", "gemini", "nobody", "", "Groq", "*"])
def test_provider_of_another_wire_has_no_row(prefix: str) -> None:
    """A prefix is litellm's spelling, to the letter."""
    assert find_provider(prefix) is None


def test_row_of_our_own_takes_precedence_over_litellm_s_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later release of litellm may list a provider that we have a row for."""
    listed = ProviderRow("groq", "https://elsewhere.test/v1", ("OTHER",))
    monkeypatch.setattr(module, "listed_providers", lambda: {"groq": listed, "toy": listed})

    assert find_provider.__wrapped__("groq") is ROWS["groq"]
    assert find_provider.__wrapped__("toy") is listed
