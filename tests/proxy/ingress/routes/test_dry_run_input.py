"""Tests of the input of dry runs, which ``/v1/explain`` and ``/v1/responses/input_tokens`` share."""

from __future__ import annotations

from tests.support.proxied import chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


async def test_dry_run_is_for_the_first_deployment_of_the_model() -> None:
    """The operator's instructions for it are in the plan, and nothing is sent."""
    upstream = ScriptedUpstream()
    settings = settings_of(general_settings={"instructions": "Be kind."})
    async with proxied(settings, upstream) as proxy:
        shown = (await proxy.post(chat(), "/v1/explain")).json
    assert "Be kind." in str(shown)
    assert upstream.exchanges == []
