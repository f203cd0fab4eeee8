"""Tests of the deployments whose provider has Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.dialects.messages_models import has_messages
from tests.proxy.upstream.deployments import deployment_of


@pytest.mark.parametrize(
    ("model", "params", "has"),
    [
        ("anthropic/claude-opus-4-8", {}, True),
        ("anthropic/kimi-k3", {"api_base": "https://api.moonshot.ai/anthropic"}, True),
        ("openai/claude-opus-4-8", {"api_base": "http://localhost/v1"}, False),
        ("bedrock/anthropic.claude-opus-4-6-v1", {}, False),
    ],
)
def test_provider_has_the_api_by_its_name(model: str, params: dict[str, Any], has: bool) -> None:
    """The name of the model says nothing: Bedrock has Claude without this API."""
    assert has_messages(deployment_of(model, api_key="k", **params)) is has
