"""The one place where the parts meet."""

from __future__ import annotations

import time

from aiohttp import web

from proxy.budgets.knowledge import Knowledge
from proxy.config import Settings
from proxy.first_series import start_series
from proxy.keys import GATEWAY, Gateway
from proxy.lifecycle import Lifecycle
from proxy.media.fetching import MediaFetcher
from proxy.metrics import Metrics
from proxy.middlewares import MIDDLEWARES
from proxy.middlewares.observe import add_standing_headers
from proxy.resilience.balancer import Balancer
from proxy.resilience.fairness import Admission
from proxy.resilience.poison import PoisonGuard
from proxy.routes import add_api_routes, add_health_routes
from proxy.store import MemoryStore
from proxy.turn_policies import TurnPolicies
from proxy.upstream import Upstream
from proxy.upstream.observed import ObservedUpstream


def create_gateway(settings: Settings, upstream: Upstream) -> Gateway:
    """Return what the handlers share, with metrics of its own."""
    media = settings.general_settings.media
    metrics = Metrics()
    start_series(metrics, settings)
    if settings.general_settings.gen_ai_metrics:
        upstream = ObservedUpstream(upstream, metrics.gen_ai())
    return Gateway(
        settings=settings,
        upstream=upstream,
        metrics=metrics,
        lifecycle=Lifecycle(),
        balancer=Balancer(settings.router_settings.cooldown_time),
        poison=PoisonGuard(),
        admission=Admission(settings.general_settings.max_in_flight),
        knowledge=Knowledge(),
        turns=TurnPolicies(settings.turns),
        media=MediaFetcher(max_bytes=media.max_mib * 2**20, timeout_s=media.timeout) if media.fetch else None,
        store=MemoryStore(settings.store.memory_mib * 2**20),
        started=int(time.time()),  # noqa: TID251 - `created` in the model list is wall-clock time
    )


def create_app(gateway: Gateway) -> web.Application:
    """Return the API: all paths, health and metrics included."""
    app = _application(gateway)
    add_api_routes(app)
    add_health_routes(app)
    return app


def create_admin_app(gateway: Gateway) -> web.Application:
    """Return the second listener's application: health and metrics, no API."""
    app = _application(gateway)
    add_health_routes(app)
    return app


def _application(gateway: Gateway) -> web.Application:
    limit = gateway.settings.general_settings.max_body_mib * 2**20
    app = web.Application(middlewares=MIDDLEWARES, client_max_size=limit)
    app[GATEWAY] = gateway
    app.on_response_prepare.append(add_standing_headers)
    return app
