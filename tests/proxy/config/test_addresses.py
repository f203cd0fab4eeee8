"""Tests of the providers of the direct transport and their default addresses."""

from __future__ import annotations

import pytest

from proxy.config.addresses import ANTHROPIC_BASE, GEMINI_BASE, base_of, has_address, speaks_to


@pytest.mark.parametrize(
    ("provider", "spoken", "base", "known"),
    [
        ("gemini", True, GEMINI_BASE, True),
        ("openai", True, "https://api.openai.com/v1", True),
        ("groq", True, "https://api.groq.com/openai/v1", True),
        ("together_ai", True, "https://api.together.ai/v1", True),
        ("scaleway", True, "https://api.scaleway.ai/v1", True),
        ("hosted_vllm", True, None, False),
        ("azure", True, None, False),
        ("anthropic", True, ANTHROPIC_BASE, True),
        ("cohere", False, None, True),
        ("", False, None, True),
    ],
)
def test_provider_has_its_format_and_address(
    provider: str, spoken: bool, base: str | None, known: bool
) -> None:
    """Providers of the direct transport have an address, except for servers and accounts of one's own."""
    assert (speaks_to(provider), base_of(provider, None), has_address(provider, None)) == (
        spoken,
        base,
        known,
    )


@pytest.mark.parametrize("provider", ["gemini", "openai", "groq", "scaleway", "hosted_vllm", "anthropic"])
def test_the_deployment_s_own_address_counts(provider: str) -> None:
    """``api_base`` replaces the provider's address, or sets an address if there is none."""
    assert base_of(provider, "http://127.0.0.1:1/v1") == "http://127.0.0.1:1/v1"
    assert has_address(provider, "http://127.0.0.1:1/v1")
