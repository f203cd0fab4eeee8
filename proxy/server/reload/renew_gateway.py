"""Builds the gateway for a new configuration. Learned and counted state is inherited from the old gateway."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proxy.config import Settings
from proxy.config.schema.general import GeneralSettings
from proxy.core.memory_limit import read_memory_limit
from proxy.forwarding.gateway import Gateway
from proxy.observability.recent_requests import RecentRequests
from proxy.planning.compact.policies import CompactionPolicies
from proxy.planning.instruction_policies import InstructionPolicies
from proxy.planning.turn_policies import TurnPolicies
from proxy.resilience.memory_need import bytes_in_flight
from proxy.server.app import (
    create_fetcher,
    create_recent_requests,
    follow_cooldowns,
    follow_repairs,
    memory_factor_of,
    observe_upstream,
)
from proxy.server.connections.limits import descriptor_limit, max_connections
from proxy.server.first_series import start_circuits
from proxy.server.reload.match_entries import PositionMap, match_models, match_unchanged
from proxy.server.reload.settings_changes import Changes, find_changes, keep_restart_settings
from proxy.state.sessions.create_sessions import create_sessions, follow_settings
from proxy.state.sessions.sessions import Sessions

_SHAPES_REQUESTS = ("sanitize", "budget", "turns", "compaction")
"""Sections that decide how a body is sent.

After a change in one of these sections, or of the operator's instructions, a provider may accept a body that it refused
before.
"""


@dataclass(frozen=True, slots=True)
class Renewal:
    """A configuration that is ready to be applied, with its differences from the running one."""

    settings: Settings
    changes: Changes
    unchanged: PositionMap
    models: PositionMap


def plan_renewal(running: Settings, wanted: Settings) -> Renewal:
    """Return the renewal that replaces *running* by *wanted*."""
    settings, needs_restart = keep_restart_settings(running, wanted)
    unchanged = match_unchanged(running, settings)
    return Renewal(
        settings=settings,
        changes=find_changes(running, settings, needs_restart),
        unchanged=unchanged,
        models=match_models(running, settings, unchanged),
    )


def renew_gateway(old: Gateway, renewal: Renewal) -> Gateway:
    """Return the gateway of *renewal*. Requests that have *old* keep it.

    Objects that both gateways share get the new limits: requests and bytes in flight, connections, sessions, client
    keys, and the store's size.
    """
    settings, general = renewal.settings, renewal.settings.general_settings
    old.admission.resize(general.max_in_flight)
    old.memory.resize(bytes_in_flight(general.max_in_flight_mib, read_memory_limit()))
    old.connections.resize(max_connections(descriptor_limit(), general.max_in_flight))
    old.store.resize(settings.store.memory_mib * 2**20)
    start_circuits(old.metrics, settings)
    follow_repairs(old.learned_repairs, settings)
    old.limiter.follow_settings(settings)
    instructions = InstructionPolicies(settings)
    reshaped = not instructions.is_like(old.instructions) or any(
        getattr(old.settings, name) != getattr(settings, name) for name in _SHAPES_REQUESTS
    )
    balancer = old.balancer.carry(renewal.unchanged, settings.router_settings.cooldown_time)
    same_media = old.settings.general_settings.media == general.media
    return replace(
        old,
        settings=settings,
        upstream=observe_upstream(old.upstream, old.metrics, settings),
        balancer=follow_cooldowns(balancer, settings),
        refused_requests=old.refused_requests.carry({} if reshaped else renewal.unchanged),
        learned_windows=old.learned_windows.carry(renewal.models),
        turns=TurnPolicies(settings.turns, settings.routes.aliases),
        compaction=CompactionPolicies(settings.compaction, settings.routes.aliases),
        instructions=instructions,
        sessions=_renew_sessions(old, settings),
        memory_factor=memory_factor_of(settings),
        recent_requests=_renew_recent_requests(old.recent_requests, general),
        media=old.media if same_media else create_fetcher(general.media),
    )


def _renew_sessions(old: Gateway, settings: Settings) -> Sessions | None:
    """Return the sessions of *settings*. Sessions that stay keep what they have."""
    max_body_mib = settings.general_settings.max_body_mib
    if old.sessions is None or not settings.sessions.enabled:
        return create_sessions(settings.sessions, settings.store, old.store, max_body_mib)
    follow_settings(old.sessions, settings.sessions, settings.store, max_body_mib)
    return old.sessions


def _renew_recent_requests(old: RecentRequests | None, general: GeneralSettings) -> RecentRequests | None:
    """Return the store of recent requests with its new limits. It keeps as many old requests as fit."""
    if old is None or not general.ui:
        return create_recent_requests(general)
    old.resize(general.inspector)
    return old
