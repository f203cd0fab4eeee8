"""Builds the gateway and the aiohttp applications from settings."""

from __future__ import annotations

import time
from itertools import chain

from aiohttp import web

from proxy.config import Settings
from proxy.config.schema.general import GeneralSettings, Media
from proxy.core.connection_table import Connections
from proxy.core.lifecycle import Lifecycle
from proxy.core.memory_limit import read_memory_limit
from proxy.forwarding.gateway import CURRENT, Current, Gateway
from proxy.ingress.middlewares import MIDDLEWARES
from proxy.ingress.middlewares.observe import add_standing_headers
from proxy.ingress.routes import add_api_routes, add_health_routes
from proxy.inspector.routes import add_ui_routes
from proxy.observability.metrics import Metrics
from proxy.observability.observed_upstream import ObservedUpstream
from proxy.observability.recent_requests import RecentRequests
from proxy.observability.repair_reports import report_repair
from proxy.observability.store_reports import StoreReports
from proxy.observability.tracing import Tracing
from proxy.planning.compact.policies import CompactionPolicies
from proxy.planning.instruction_policies import InstructionPolicies
from proxy.planning.turn_policies import TurnPolicies
from proxy.resilience.balancer import Balancer
from proxy.resilience.fairness import Admission
from proxy.resilience.memory_need import DIRECT_TIMES, LITELLM_TIMES, bytes_in_flight
from proxy.server.connections.limits import descriptor_limit, max_connections
from proxy.server.first_series import start_series
from proxy.state.create_limiter import create_limiter
from proxy.state.create_store import create_store
from proxy.state.external.external_store import ExternalStore
from proxy.state.learned_windows import LearnedWindows
from proxy.state.refused_requests import RefusedRequests
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.sessions.create_sessions import create_sessions
from proxy.state.sharing.sources import Sharing
from proxy.upstream import Upstream
from proxy.upstream.media.fetching import MediaFetcher
from proxy.upstream.transports import uses_litellm

_RESERVED_MEMORY = 0.25
"""The share of the memory for requests that is kept for clients without a request in flight.

One request whose body never ends can hold much memory. The same request holds only one place of ``max_in_flight``.
"""


def create_gateway(settings: Settings, upstream: Upstream, tracing: Tracing | None = None) -> Gateway:
    """Return the objects that the handlers share, with new metrics. *tracing* makes spans."""
    metrics = Metrics()
    start_series(metrics, settings)
    store = create_store(settings.store, StoreReports(metrics))
    sharing = Sharing(store) if isinstance(store, ExternalStore) else None
    cooldowns = None if sharing is None else sharing.cooldowns
    learned_repairs = LearnedRepairs(
        time.time,  # noqa: TID251 - evidence outlives the process, so its age is wall-clock time
        None if sharing is None else sharing.repairs,
        report_repair,
    )
    follow_repairs(learned_repairs, settings)
    metrics.learned_repairs.count = learned_repairs.count_learned
    if tracing is not None:
        upstream = tracing.wrap_upstream(upstream)
    return Gateway(
        settings=settings,
        upstream=observe_upstream(upstream, metrics, settings),
        metrics=metrics,
        lifecycle=Lifecycle(),
        balancer=follow_cooldowns(Balancer(settings.router_settings.cooldown_time, cooldowns), settings),
        refused_requests=RefusedRequests(None if sharing is None else sharing.refusals),
        admission=Admission(settings.general_settings.max_in_flight),
        memory=Admission(
            bytes_in_flight(settings.general_settings.max_in_flight_mib, read_memory_limit()),
            kept=_RESERVED_MEMORY,
        ),
        connections=Connections(max_connections(descriptor_limit(), settings.general_settings.max_in_flight)),
        learned_windows=LearnedWindows(None if sharing is None else sharing.lessons),
        learned_repairs=learned_repairs,
        turns=TurnPolicies(settings.turns, settings.routes.aliases),
        compaction=CompactionPolicies(settings.compaction, settings.routes.aliases),
        instructions=InstructionPolicies(settings),
        media=create_fetcher(settings.general_settings.media),
        store=store,
        sessions=create_sessions(
            settings.sessions, settings.store, store, settings.general_settings.max_body_mib
        ),
        limiter=create_limiter(settings, store),
        sharing=sharing,
        tracing=tracing,
        recent_requests=create_recent_requests(settings.general_settings),
        memory_factor=memory_factor_of(settings),
        started=int(time.time()),  # noqa: TID251 - `created` in the model list is wall-clock time
    )


def observe_upstream(upstream: Upstream, metrics: Metrics, settings: Settings) -> Upstream:
    """Return *upstream*, wrapped to record OpenTelemetry's GenAI metrics if *settings* ask for them."""
    wanted = settings.general_settings.gen_ai_metrics
    if isinstance(upstream, ObservedUpstream):
        return upstream if wanted else upstream.observed
    return ObservedUpstream(upstream, metrics.gen_ai()) if wanted else upstream


def follow_cooldowns(balancer: Balancer, settings: Settings) -> Balancer:
    """Let cooldowns of other replicas reach every deployment that *settings* name. Return *balancer*."""
    balancer.follow_cooldowns(chain.from_iterable(settings.routes.exact.values()))
    return balancer


def follow_repairs(learned: LearnedRepairs, settings: Settings) -> None:
    """Let what other processes learned of repairs reach every deployment that *settings* name."""
    if settings.router_settings.learn != "false":
        learned.follow(chain.from_iterable(settings.routes.exact.values()))


def memory_factor_of(settings: Settings) -> int:
    """Return the memory that a request may take, as a multiple of its body's size."""
    return LITELLM_TIMES if uses_litellm(settings.routes) else DIRECT_TIMES


def create_fetcher(media: Media) -> MediaFetcher | None:
    """Return the fetcher of images, or None if images are not to be fetched."""
    return MediaFetcher(max_bytes=media.max_mib * 2**20, timeout_s=media.timeout) if media.fetch else None


def create_recent_requests(general: GeneralSettings) -> RecentRequests | None:
    """Return the inspector's store of recent requests, or None if there is no inspector."""
    return RecentRequests(general.inspector) if general.ui else None


def create_app(current: Current) -> web.Application:
    """Return the API's application with all paths, health and metrics included."""
    app = _application(current)
    add_api_routes(app)
    add_ui_routes(app)
    add_health_routes(app)
    return app


def create_admin_app(current: Current) -> web.Application:
    """Return the admin listener's application: health and metrics, no API."""
    app = _application(current)
    add_health_routes(app)
    return app


def limit_bodies(app: web.Application, settings: Settings) -> None:
    """Set the largest body of *settings* for all requests that begin from now on.

    aiohttp reads the attribute when it makes a request, and has no public way to change it (3.14.5).
    """
    app._client_max_size = settings.general_settings.max_body_mib * 2**20


def _application(current: Current) -> web.Application:
    app = web.Application(middlewares=MIDDLEWARES)
    limit_bodies(app, current.gateway.settings)
    app[CURRENT] = current
    app.on_response_prepare.append(add_standing_headers)
    return app
