"""Which paths there are, and what kind each is. Every API path is served with ``/v1`` and without it."""

from __future__ import annotations

from aiohttp import web

from proxy.ingress.formats import CHAT_COMPLETIONS as CHAT_COMPLETIONS
from proxy.ingress.formats import COMPLETIONS as COMPLETIONS
from proxy.ingress.formats import EMBEDDINGS as EMBEDDINGS
from proxy.ingress.formats import FORMATS

EXPLAIN = "/v1/explain"
MODELS = "/v1/models"
MODEL = "/v1/models/{id:.+}"

LIVE = ("/livez", "/health/liveliness", "/health/liveness")
READY = ("/readyz", "/health", "/healthz", "/health/readiness")
METRICS = "/metrics"
ROOT = "/"

UI = ("/ui", "/ui/")
UI_FILE = "/ui/{file:(?!api(?:/|$)).+}"
UI_MODELS = "/ui/api/models"
UI_LOOK = "/ui/api/look"
UI_VERDICTS = "/ui/api/verdicts"
UI_RECENT = "/ui/api/recent"
UI_RECENT_ONE = "/ui/api/recent/{id}"
UI_LIVE = "/ui/api/live"

OPEN_PATHS = frozenset({*LIVE, *READY, METRICS, ROOT, *UI, "/ui/{file}"})
"""By what aiohttp calls their resources. The inspector's page is open, since it asks for the key; its data is not."""

_PROBES = frozenset({*LIVE, *READY})

_UI_WORK = frozenset({UI_LOOK, UI_VERDICTS})

_FURTHER_ROUTES = (EXPLAIN, MODELS, MODEL.replace("{id:.+}", "{id}"))
"""The paths of the API that belong to no client format, as aiohttp calls their resources."""

OTHER = "other"
"""The name that all other paths have there."""


def spellings(path: str) -> tuple[str, str]:
    """Return an API path with and without its prefix; LiteLLM's own client calls the bare one."""
    return path, path.removeprefix("/v1")


def api_routes() -> tuple[str, ...]:
    """Return the names of the API's paths in metrics and logs: those of the formats, and the others."""
    return *FORMATS, *_FURTHER_ROUTES


def api_route(request: web.Request) -> str | None:
    """Return the template of the API path that *request* matched, as metrics and logs name it; else None."""
    resource = request.match_info.route.resource
    if resource is None:
        return None
    path = resource.canonical
    route = path if path.startswith("/v1/") else "/v1" + path
    return route if route in FORMATS or route in _FURTHER_ROUTES else None


def is_ui_work(request: web.Request) -> bool:
    """Tell whether a path of the inspector takes a body, which is worked on as any request's is."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in _UI_WORK


def is_probe(request: web.Request) -> bool:
    """Tell whether a path is a probe's, for liveness or readiness."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in _PROBES


def is_open(request: web.Request) -> bool:
    """Tell whether a path answers without a key."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in OPEN_PATHS
