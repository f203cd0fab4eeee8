"""Tests of which transport a deployment uses."""

from __future__ import annotations

import pytest

from proxy.config import resolve
from proxy.upstream.transports import transport_of
from tests.proxy.upstream.test_select_transport import entries
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import GEMINI, settings_of

pytestmark = LITELLM_NOISE


@pytest.mark.parametrize(
    ("model", "transport", "taken"),
    [
        ("openai/gpt-4.1", None, "direct"),
        ("openai/gpt-4.1", "auto", "direct"),
        ("openai/gpt-4.1", "litellm", "litellm"),
        ("openai/gpt-4.1", "direct", "direct"),
        ("gpt-4.1", "auto", "direct"),
        (GEMINI, None, "direct"),
        (GEMINI, "litellm", "litellm"),
        (GEMINI, "direct", "direct"),
        ("anthropic/claude-x", None, "litellm"),
        ("anthropic/claude-x", "auto", "litellm"),
        ("vertex_ai/gemini-2.5-pro", "auto", "litellm"),
        ("mistral/x", "auto", "litellm"),
        ("mistral/x", "direct", "direct"),
    ],
)
def test_transport_of_a_deployment(model: str, transport: str | None, taken: str) -> None:
    """The default is direct for OpenAI and Gemini, and litellm for others. A named transport is used."""
    [deployment] = resolve(settings_of(model_list=entries((model, transport))), model)

    assert transport_of(deployment) == taken
