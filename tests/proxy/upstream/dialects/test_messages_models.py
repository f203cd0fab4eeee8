"""Tests of the deployments whose provider has Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.dialects.messages_models import has_messages, runs_server_tools
from tests.proxy.upstream.deployments import deployment_of


@pytest.mark.parametrize(
    ("model", "params", "has", "runs"),
    [
        ("anthropic/claude-opus-4-8", {}, True, True),
        ("anthropic/kimi-k3", {"api_base": "https://api.moonshot.ai/anthropic"}, True, False),
        ("openai/claude-opus-4-8", {"api_base": "http://localhost/v1"}, False, False),
        ("bedrock/anthropic.claude-opus-4-6-v1", {}, False, False),
    ],
)
def test_provider_has_the_api_by_its_name(model: str, params: dict[str, Any], has: bool, runs: bool) -> None:
    """The name of the model says nothing of the API: Bedrock has Claude without it. Claude alone has server tools."""
    deployment = deployment_of(model, api_key="k", **params)

    assert has_messages(deployment) is has
    assert runs_server_tools(deployment) is runs
