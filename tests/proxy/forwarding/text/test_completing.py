"""Tests whether a deployment completes texts itself or through a chat, and whether an empty text is allowed."""

from __future__ import annotations

import pytest

from proxy.config import resolve
from proxy.forwarding.text.completing import may_be_empty
from proxy.upstream.transports import completes_texts
from tests.support.proxied import settings_of


@pytest.mark.parametrize(
    ("params", "transport", "as_such", "empty"),
    [
        ({"model": "openai/gpt-3.5-turbo-instruct"}, "auto", True, True),
        ({"model": "openai/gpt-3.5-turbo-instruct"}, "litellm", True, True),
        ({"model": "hosted_vllm/x", "api_base": "http://127.0.0.1:1/v1"}, "auto", True, True),
        ({"model": "hosted_vllm/x"}, "auto", False, True),
        ({"model": "groq/x"}, "auto", False, True),
        ({"model": "groq/x"}, "direct", False, True),
        ({"model": "together_ai/x"}, "auto", True, True),
        ({"model": "together_ai/x"}, "direct", True, True),
        ({"model": "together_ai/x"}, "litellm", False, True),
        ({"model": "azure/x"}, "auto", False, True),
        ({"model": "anthropic/x"}, "auto", False, True),
        ({"model": "gemini/gemini-3.6-flash"}, "auto", False, False),
        ({"model": "gemini/gemini-3.6-flash"}, "direct", False, False),
        ({"model": "vertex_ai/gemini-3.6-flash"}, "litellm", False, False),
    ],
)
def test_deployment_on_openais_wire_completes_texts(
    params: dict[str, str], transport: str, as_such: bool, empty: bool
) -> None:
    """Other deployments get a text completion as a chat request."""
    settings = settings_of(model_list=[{"model_name": "m", "litellm_params": params, "transport": transport}])
    [deployment] = resolve(settings, "m")

    assert completes_texts(deployment) is as_such
    assert may_be_empty(deployment) is empty
