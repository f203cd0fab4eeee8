"""Tests of the gateway, which holds the objects that every handler may need."""

from __future__ import annotations

from proxy.server.app import create_gateway
from tests.support.proxied import settings_of
from tests.support.scripted_upstream import ScriptedUpstream


async def test_gateway_masks_the_keys_of_its_settings() -> None:
    """The gateway masks the keys of its settings in a text, since a provider's error may quote a key."""
    settings = settings_of(
        model_list=[
            {"model_name": "a", "litellm_params": {"model": "openai/a", "api_key": "sk-kept-7f3a9c21"}}
        ]
    )
    gateway = create_gateway(settings, ScriptedUpstream())

    assert "sk-kept-7f3a9c21" not in gateway.secrets.mask("Wrong key: sk-kept-7f3a9c21")
