"""Finds the learned repairs for a dry run: for ``POST /v1/explain`` and the inspector. A dry run teaches nothing."""

from __future__ import annotations

from dataclasses import replace

from proxy.forwarding.chat.request_repairs import conversation_of
from proxy.forwarding.gateway import Gateway
from proxy.planning.dry_run import DryRunInput


async def with_learned(given: DryRunInput, gateway: Gateway, key: str) -> DryRunInput:
    """Return *given* with the repairs that a request with the client's *key* would get in advance."""
    known = gateway.learned_repairs
    if gateway.settings.router_settings.learn != "true" or not known.may_have_some:
        return given
    deployment = given.target.deployment
    needed = known.needs_conversation(deployment, key)
    learned = known.find(deployment, key, await conversation_of(given.request, key) if needed else "")
    return replace(given, learned=learned) if learned else given
