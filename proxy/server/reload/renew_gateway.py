"""A new gateway from an old one: what belongs to the settings is made anew, what was learned and counted goes along."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proxy.config import Settings
from proxy.config.schema.general import GeneralSettings
from proxy.core.memory_limit import read_memory_limit
from proxy.forwarding.gateway import Gateway
from proxy.observability.recent_requests import RecentRequests
from proxy.planning.turn_policies import TurnPolicies
from proxy.resilience.memory_need import bytes_in_flight
from proxy.server.app import create_fetcher, create_recent_requests, memory_times_of, observe_upstream
from proxy.server.connections.limits import descriptor_limit, max_connections
from proxy.server.first_series import start_circuits
from proxy.server.reload.match_entries import Moved, match_models, match_unchanged
from proxy.server.reload.settings_changes import Changes, find_changes, keep_fixed
from proxy.state import MemoryStore

_SHAPES_REQUESTS = ("sanitize", "budget", "turns")
"""Sections that decide what is sent for a body: with another one, a body that was refused may be taken."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """A configuration that is about to be taken up, and all that can be found out about it beforehand."""

    settings: Settings
    changes: Changes
    unchanged: Moved
    models: Moved


def plan_renewal(running: Settings, wanted: Settings) -> Renewal:
    """Return what taking up *wanted* in the place of *running* comes to. Pure."""
    settings, needs_restart = keep_fixed(running, wanted)
    unchanged = match_unchanged(running, settings)
    return Renewal(
        settings=settings,
        changes=find_changes(running, settings, needs_restart),
        unchanged=unchanged,
        models=match_models(running, settings, unchanged),
    )


def renew_gateway(old: Gateway, renewal: Renewal) -> Gateway:
    """Return the gateway of *renewal*; *old* stays what it is, for the requests that have it.

    What both share is set to the new limits: places, bytes in flight, connections, and the room of the store.
    """
    settings, general = renewal.settings, renewal.settings.general_settings
    old.admission.resize(general.max_in_flight)
    old.memory.resize(bytes_in_flight(general.max_in_flight_mib, read_memory_limit()))
    old.connections.resize(max_connections(descriptor_limit(), general.max_in_flight))
    if isinstance(old.store, MemoryStore):
        old.store.resize(settings.store.memory_mib * 2**20)
    start_circuits(old.metrics, settings)
    reshaped = any(getattr(old.settings, name) != getattr(settings, name) for name in _SHAPES_REQUESTS)
    same_media = old.settings.general_settings.media == general.media
    return replace(
        old,
        settings=settings,
        upstream=observe_upstream(old.upstream, old.metrics, settings),
        balancer=old.balancer.carry(renewal.unchanged, settings.router_settings.cooldown_time),
        refused_requests=old.refused_requests.carry({} if reshaped else renewal.unchanged),
        learned_windows=old.learned_windows.carry(renewal.models),
        turns=TurnPolicies(settings.turns),
        memory_times=memory_times_of(settings),
        recent_requests=_renew_recent_requests(old.recent_requests, general),
        media=old.media if same_media else create_fetcher(general.media),
    )


def _renew_recent_requests(old: RecentRequests | None, general: GeneralSettings) -> RecentRequests | None:
    """Return what remembers the last requests from now on; what it remembers goes along as far as there is room."""
    if old is None or not general.ui:
        return create_recent_requests(general)
    old.resize(general.inspector)
    return old
