"""Tests of OpenTelemetry's names for providers."""

from __future__ import annotations

import pytest

from proxy.observability.gen_ai_names import PROVIDERS


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("gemini", "gcp.gemini"),
        ("vertex_ai", "gcp.vertex_ai"),
        ("azure", "azure.ai.openai"),
        ("bedrock", "aws.bedrock"),
        ("mistral", "mistral_ai"),
        ("xai", "x_ai"),
    ],
)
def test_provider_has_the_name_of_the_convention(provider: str, name: str) -> None:
    """LiteLLM has other names for these providers."""
    assert PROVIDERS[provider] == name
