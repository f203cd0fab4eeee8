"""Registers the handlers of the API's paths, and of health and metrics."""

from __future__ import annotations

from aiohttp import web

from proxy.ingress.formats import FORMATS, is_chat
from proxy.ingress.routes.chat_completions import chat_completions
from proxy.ingress.routes.explain import explain
from proxy.ingress.routes.gemini import add_gemini_routes
from proxy.ingress.routes.gemini_paths import GEMINI_METHODS
from proxy.ingress.routes.health import livez, readyz, root
from proxy.ingress.routes.learned import forget_learned, list_learned
from proxy.ingress.routes.messages import add_message_routes
from proxy.ingress.routes.metrics import metrics
from proxy.ingress.routes.models import list_models, show_model
from proxy.ingress.routes.not_served import add_not_served
from proxy.ingress.routes.own_key import show_key
from proxy.ingress.routes.paths import (
    EXPLAIN,
    KEY,
    LEARNED,
    LIVE,
    MESSAGES,
    METRICS,
    MODEL,
    MODELS,
    READY,
    RESPONSES,
    ROOT,
    all_spellings,
    spellings,
)
from proxy.ingress.routes.responses import add_response_routes
from proxy.ingress.routes.text import complete_or_embed

__all__ = ["add_api_routes", "add_health_routes"]


def add_api_routes(app: web.Application) -> None:
    """Add the API's paths, each with and without ``/v1``, and the paths of other APIs that are not served."""
    for route in FORMATS.keys() - {MESSAGES, RESPONSES, *GEMINI_METHODS}:
        for path in spellings(route):
            app.router.add_post(path, chat_completions if is_chat(route) else complete_or_embed)
    add_response_routes(app)
    add_message_routes(app)
    for path in spellings(EXPLAIN):
        app.router.add_post(path, explain)
    for path in spellings(KEY):
        app.router.add_get(path, show_key)
    for path in spellings(LEARNED):
        app.router.add_get(path, list_learned)
        app.router.add_delete(path, forget_learned)
    for path in all_spellings(MODELS):
        app.router.add_get(path, list_models)
    for path in all_spellings(MODEL):
        app.router.add_get(path, show_model)
    add_not_served(app)
    add_gemini_routes(app)
    app.router.add_get(ROOT, root)


def add_health_routes(app: web.Application) -> None:
    """Add health and metrics, which are all that the admin listener serves."""
    for path in LIVE:
        app.router.add_get(path, livez)
    for path in READY:
        app.router.add_get(path, readyz)
    app.router.add_get(METRICS, metrics)
